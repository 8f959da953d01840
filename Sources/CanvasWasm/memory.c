// The memory allocator that Swift's runtime calls. The C library's own is made for blocks of all sizes; with it, an
// update would take a tenth longer.
//
// Blocks come in fixed sizes, four to each power of two. A request gets the next larger size. Eight bytes before the
// block tell its size. A freed block waits in the list of its size for the next request of that size; it is neither
// split nor joined. A canvas asks for the same few sizes over and over, so little memory lies idle. New memory is taken
// from the end.
//
// No locks are needed, because there is one thread. The file is in C, because Swift reserves the names of these functions
// for its runtime.

#include <stddef.h>
#include <stdint.h>

enum { HEADER_BYTES = 8, PAGE_BYTES = 65536, ALIGNMENT = 8, BYTES_MIN = 16, BYTES_MAX = 1 << 30 };

typedef struct block {
  struct block *next;
} block;

// Freed blocks, one list for each size.
static block *waiting[128];

// The start of the memory that has not been given out yet. It begins where the linker says.
extern char __heap_base;
static uintptr_t fresh;

// The smallest size that is large enough.
static unsigned size_index(size_t bytes) {
  unsigned least = bytes - 1;
  unsigned shift = 29 - __builtin_clz(least);
  return shift << 2 | (least >> shift & 3);
}

static size_t size_at(unsigned index) { return (size_t)(5 + (index & 3)) << (index >> 2); }

static uintptr_t take(size_t bytes) {
  if (fresh == 0) fresh = ((uintptr_t)&__heap_base + ALIGNMENT - 1) & -ALIGNMENT;
  size_t pages = __builtin_wasm_memory_size(0), end = pages * PAGE_BYTES;
  if (end - fresh < bytes) {
    // Growing takes longer the larger the memory is. So it grows by a share of itself, if there is that much.
    size_t missing = (bytes - (end - fresh) + PAGE_BYTES - 1) / PAGE_BYTES;
    if (__builtin_wasm_memory_grow(0, missing + pages / 8) == SIZE_MAX
        && __builtin_wasm_memory_grow(0, missing) == SIZE_MAX) __builtin_trap();
  }
  uintptr_t start = fresh;
  fresh += bytes;
  return start;
}

// Every block is aligned to eight bytes, and nothing here asks for more. Without memory the module traps, because
// Swift's runtime and the page would go on at the address 0.
int posix_memalign(void **result, size_t alignment, size_t bytes) {
  (void)alignment;
  if (bytes > BYTES_MAX) __builtin_trap();
  size_t wanted = bytes + HEADER_BYTES;
  unsigned index = size_index(wanted < BYTES_MIN ? BYTES_MIN : wanted);
  block *found = waiting[index];
  if (found) {
    waiting[index] = found->next;
    *result = found;
    return 0;
  }
  uintptr_t start = take((size_at(index) + ALIGNMENT - 1) & -ALIGNMENT);
  *(uint32_t *)start = index;
  *result = (void *)(start + HEADER_BYTES);
  return 0;
}

void *malloc(size_t bytes) {
  void *result;
  posix_memalign(&result, ALIGNMENT, bytes);
  return result;
}

void free(void *given) {
  if (!given) return;
  unsigned index = *(uint32_t *)((uintptr_t)given - HEADER_BYTES);
  block *freed = given;
  freed->next = waiting[index];
  waiting[index] = freed;
}
