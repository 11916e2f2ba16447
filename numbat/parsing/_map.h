/* Hash maps from 64-bit keys to 32-bit numbers. */
#ifndef NUMBAT_MAP_H
#define NUMBAT_MAP_H
#include "_vector.h"

#include <stdint.h>
#include <string.h>

#define ABSENT -1

typedef struct {
    uint64_t key; /* key + 1, 0 for an empty slot */
    int32_t number;
} Slot;

typedef struct {
    Slot *slots;
    size_t size, used;
} Map;

static inline size_t slot_of(const Map *map, uint64_t key) {
    uint64_t hash = key * 0x9E3779B97F4A7C15ull;
    size_t slot = (size_t)(hash >> 20) & (map->size - 1);
    while (map->slots[slot].key && map->slots[slot].key != key + 1) slot = (slot + 1) & (map->size - 1);
    return slot;
}

static int map_grow(Map *map) {
    Map old = *map;
    map->size = old.size ? old.size * 4 : 256;
    map->slots = calloc(map->size, sizeof *map->slots);
    if (!map->slots) {
        *map = old;
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < old.size; i++)
        if (old.slots[i].key) map->slots[slot_of(map, old.slots[i].key - 1)] = old.slots[i];
    free(old.slots);
    return 0;
}

/* The number kept under a key, ABSENT where there is none. */
static inline int32_t map_get(const Map *map, uint64_t key) {
    if (!map->size) return ABSENT;
    size_t slot = slot_of(map, key);
    return map->slots[slot].key ? map->slots[slot].number : ABSENT;
}

/* The number kept under a key; a new key gets `fresh`. *is_new tells which. -1 without memory. */
static inline int32_t map_put(Map *map, uint64_t key, int32_t fresh, int *is_new) {
    if (map->used * 10 >= map->size * 6 && map_grow(map) < 0) return -1;
    size_t slot = slot_of(map, key);
    *is_new = !map->slots[slot].key;
    if (*is_new) {
        map->slots[slot] = (Slot){key + 1, fresh};
        map->used++;
    }
    return map->slots[slot].number;
}

static inline void map_free(Map *map) { free(map->slots); }

#endif
