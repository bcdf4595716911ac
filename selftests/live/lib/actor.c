// SPDX-License-Identifier: GPL-2.0-only
/*
 * Child processes that execute orders from a socket.  A test uses them to make several
 * processes act on one file in a given sequence.
 */
#define _GNU_SOURCE
#include "lib/actor.h"
#include "lib/lib.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct order {
	enum op op;
	uint64_t addr;
	uint64_t bytes;
	uint64_t extra; /* MAP: file offset; PROTECT: protection; MOVE: new address */
};

/* Return: 0, or -errno; -EFAULT if the access raised SIGBUS. */
static int obey(const struct order *o, int file)
{
	void *addr = (void *)o->addr;

	switch (o->op) {
	case MAP:
		return mmap(addr, o->bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
			    file, (off_t)o->extra) == addr ?
			       0 :
			       -errno;
	case TOUCH:
		return live_try_touch(o->addr) ? 0 : -EFAULT;
	case READ:
		(void)*(volatile char *)addr;
		return 0;
	case UNMAP:
		return munmap(addr, o->bytes) ? -errno : 0;
	case PROTECT:
		return mprotect(addr, o->bytes, (int)o->extra) ? -errno : 0;
	case MOVE:
		return mremap(addr, o->bytes, o->bytes,
			      MREMAP_MAYMOVE | MREMAP_FIXED,
			      (void *)o->extra) == (void *)o->extra ?
			       0 :
			       -errno;
	}
	return -ENOSYS;
}

int actor_start(struct actor *actor, int file)
{
	struct order order;
	int fds[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	actor->pid = fork();
	if (actor->pid < 0)
		return -errno;
	if (!actor->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		while (recv(fds[1], &order, sizeof(order), 0) ==
		       sizeof(order)) {
			ret = obey(&order, file);
			if (send(fds[1], &ret, sizeof(ret), 0) != sizeof(ret))
				break;
		}
		_exit(1);
	}
	close(fds[1]);
	actor->fd = fds[0];
	return 0;
}

void actor_stop(struct actor *actor)
{
	if (actor->pid <= 0)
		return;
	kill(actor->pid, SIGKILL);
	waitpid(actor->pid, NULL, 0);
	close(actor->fd);
	actor->pid = 0;
	memset(actor->places, 0, sizeof(actor->places));
}

int actor_do(struct actor *actor, enum op op, uint64_t addr, uint64_t bytes,
	     uint64_t extra)
{
	struct order order = { op, addr, bytes, extra };
	int ret;

	if (send(actor->fd, &order, sizeof(order), MSG_NOSIGNAL) !=
		    sizeof(order) ||
	    recv(actor->fd, &ret, sizeof(ret), 0) != sizeof(ret))
		return -EPIPE;
	return ret;
}
