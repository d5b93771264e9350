/* The kernel does the copying, so that a bad pointer is an error and no fault. */
#include "runtime/memory.h"

#include "runtime/bytes.h"
#include "runtime/kernel.h"

#include <asm/errno.h>
#include <sys/uio.h>

#define PAGE_BYTES 4096ULL

/* Of an element the kernel may copy nothing where it cannot copy all: none spans two pages. */
long memory_ask(void *to, uint64_t from, uint64_t size_bytes)
{
	const uint64_t to_page_end = PAGE_BYTES - (from & (PAGE_BYTES - 1));
	const uint64_t first = to_page_end < size_bytes ? to_page_end : size_bytes;
	const struct iovec local = {.iov_base = to, .iov_len = size_bytes};
	const struct iovec remote[] = {
		{.iov_base = (void *)from, .iov_len = first},
		{.iov_base = (void *)(from + first), .iov_len = size_bytes - first}};

	return kernel_call(SYS_process_vm_readv, kernel_pid(), &local, 1, remote, 2, 0);
}

long memory_read(void *to, uint64_t from, uint64_t size_bytes)
{
	const struct iovec local = {.iov_base = to, .iov_len = size_bytes};
	const struct iovec remote = {.iov_base = (void *)from, .iov_len = size_bytes};
	const long got = kernel_call(SYS_process_vm_readv, kernel_pid(), &local, 1, &remote, 1, 0);

	if (got >= 0 || got == -EFAULT)
		return got;
	memcpy(to, (const void *)from, size_bytes); /* the system call is forbidden here */
	return (long)size_bytes;
}
