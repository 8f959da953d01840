// Where memory comes from: what Swift's runtime calls. With the C library's own allocator, which is made for blocks of all
// sizes, an update takes a tenth longer.
//
// A block is as long as the next of some sizes, four to each power of two; before it stand eight bytes that say which. A
// block that is given back waits in the list of its size for the next that asks for as much, and is neither cut nor
// joined. A canvas asks for the same few sizes over and over, so that little lies idle. New memory is taken from the end.
//
// There is one thread. In C, because Swift reserves these names for whoever it calls by them.

#include <stddef.h>
#include <stdint.h>

enum { HEADER_BYTES = 8, PAGE_BYTES = 65536, ALIGNMENT = 8, BYTES_MIN = 16, BYTES_MAX = 1 << 30, OUT_OF_MEMORY = 12 };

typedef struct block {
  struct block *next;
} block;

// By size, those that wait.
static block *waiting[128];

// What has not been given out yet. The linker says where it begins.
extern char __heap_base;
static uintptr_t fresh;

// The shortest size that is enough.
static unsigned size_index(size_t bytes) {
  unsigned least = bytes - 1;
  unsigned shift = 29 - __builtin_clz(least);
  return shift << 2 | (least >> shift & 3);
}

static size_t size_at(unsigned index) { return (size_t)(5 + (index & 3)) << (index >> 2); }

static int take(size_t bytes, uintptr_t *start) {
  if (fresh == 0) fresh = ((uintptr_t)&__heap_base + ALIGNMENT - 1) & -ALIGNMENT;
  size_t end = __builtin_wasm_memory_size(0) * PAGE_BYTES;
  if (end - fresh < bytes) {
    size_t pages = (bytes - (end - fresh) + PAGE_BYTES - 1) / PAGE_BYTES;
    if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) return OUT_OF_MEMORY;
  }
  *start = fresh;
  fresh += bytes;
  return 0;
}

// Every block is aligned to eight bytes, as much as anything here asks for.
int posix_memalign(void **result, size_t alignment, size_t bytes) {
  (void)alignment;
  if (bytes > BYTES_MAX) return OUT_OF_MEMORY;
  size_t wanted = bytes + HEADER_BYTES;
  unsigned index = size_index(wanted < BYTES_MIN ? BYTES_MIN : wanted);
  block *found = waiting[index];
  if (found) {
    waiting[index] = found->next;
    *result = found;
    return 0;
  }
  uintptr_t start;
  if (take((size_at(index) + ALIGNMENT - 1) & -ALIGNMENT, &start)) return OUT_OF_MEMORY;
  *(uint32_t *)start = index;
  *result = (void *)(start + HEADER_BYTES);
  return 0;
}

void *malloc(size_t bytes) {
  void *result;
  return posix_memalign(&result, ALIGNMENT, bytes) ? NULL : result;
}

void free(void *given) {
  if (!given) return;
  unsigned index = *(uint32_t *)((uintptr_t)given - HEADER_BYTES);
  block *freed = given;
  freed->next = waiting[index];
  waiting[index] = freed;
}
