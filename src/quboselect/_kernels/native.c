/* What compiled kernels need besides the mathematical library: memory, as Numba asks for it, their arguments, and what
   the processor can do. hatch_build.py links it with the kernels. */

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

/* What NumPy's arrays hold after Python's head of an object; it is part of NumPy's interface to C. */
typedef struct {
    void *data;
    int ndim;
    int64_t *shape, *strides;
    void *base, *type;
    int flags; /* the lowest bit says that it is contiguous */
} Fields;

typedef union {
    int64_t number;
    void *pointer;
} Slot;

/* Call a kernel: ``given`` are numbers and Python's arrays, ``head`` is the size of Python's head. Of each argument
   ``kinds`` has three bytes: sides (0 is a number), size of an item, and whether it must be contiguous.
   Returned: Numba's code, or UNFIT where an array is of another form. */
enum { UNFIT = 1000, MOST_SLOTS = 256 };

int quboselect_call(int (*kernel)(void *, void *, Slot *), void *result, const Slot *given, const uint8_t *kinds,
                    int count, int64_t head) {
    Slot slots[MOST_SLOTS], *next = slots;
    void *error = NULL;
    for (int i = 0; i < count; i++) {
        const uint8_t *kind = kinds + 3 * i;
        if (next + 5 + 2 * kind[0] > slots + MOST_SLOTS)
            return UNFIT;
        if (kind[0] == 0) {
            *next++ = given[i];
            continue;
        }
        const Fields *array = (const Fields *)((const char *)given[i].pointer + head);
        if (array->ndim != kind[0] || (kind[2] && !(array->flags & 1)))
            return UNFIT;
        int64_t size = 1;
        for (int j = 0; j < array->ndim; j++)
            size *= array->shape[j];
        (next++)->pointer = NULL;
        (next++)->pointer = NULL;
        (next++)->number = size;
        (next++)->number = kind[1];
        (next++)->pointer = array->data;
        for (int j = 0; j < array->ndim; j++)
            (next++)->number = array->shape[j];
        for (int j = 0; j < array->ndim; j++)
            (next++)->number = array->strides[j];
    }
    return kernel(result, &error, slots);
}

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
