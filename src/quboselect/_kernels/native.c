/* What compiled kernels need besides the mathematical library: memory, as Numba asks for it, and what the processor
   can do. hatch_build.py links it with the kernels. */

#include <stdint.h>
#include <stdlib.h>

/* Numba's record of a piece of memory; the data follow it. */
typedef struct {
    size_t references;
    void *destructor, *destructor_info, *data;
    size_t size;
    void *allocator;
} Memory;

void *NRT_Allocate(size_t size) { return malloc(size); }

void NRT_Free(void *memory) { free(memory); }

void *NRT_MemInfo_alloc_aligned(size_t size, unsigned align) {
    Memory *memory = malloc(sizeof(Memory) + align + size);
    if (memory == NULL)
        return NULL;
    uintptr_t start = (uintptr_t)(memory + 1);
    *memory = (Memory){1, NULL, NULL, (void *)(start + (align - start % align) % align), size, NULL};
    return memory;
}

void NRT_MemInfo_call_dtor(Memory *memory) { free(memory); }

/* The place in LEVELS of hatch_build.py of the kernels that this processor can run, or -1. */
int quboselect_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("popcnt");
    int v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
    return v3 && v4 ? 1 : v3 ? 0 : -1;
#else
    return 0;
#endif
}
