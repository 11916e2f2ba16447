/* Hash maps from 64-bit keys to 32-bit numbers. */
#ifndef NUMBAT_MAP_H
#define NUMBAT_MAP_H
#include "_vector.h"

#include <stdint.h>
#include <string.h>

#define ABSENT -1
#define FEWEST_SLOTS 256

typedef struct {
    uint64_t key;
    int32_t number;
    uint32_t stamp; /* equal to that of the map unless the slot is empty */
} Slot;

typedef struct { /* cleared by a new stamp, and grown into the spare slots, to reuse memory */
    Slot *slots, *spare;
    size_t size, used, room, spare_room;
    uint32_t stamp;
} Map;

/* Return the slot where the search for a key begins. */
static inline size_t first_slot_of(const Map *map, uint64_t key) {
    uint64_t hash = key * 0x9E3779B97F4A7C15ull; /* only its high bits depend on all bits of the key */
    return (size_t)(hash >> __builtin_clzll(map->size - 1));
}

static inline size_t slot_of(const Map *map, uint64_t key) {
    size_t slot = first_slot_of(map, key);
    while (map->slots[slot].stamp == map->stamp && map->slots[slot].key != key) slot = (slot + 1) & (map->size - 1);
    return slot;
}

static inline void map_free(Map *map) {
    free(map->slots);
    free(map->spare);
    *map = (Map){0};
}

static inline void map_empty(Map *map) {
    if (map->stamp == UINT32_MAX / 2) map_free(map); /* long before stamps repeat */
    if (map->size) map->size = FEWEST_SLOTS;
    map->used = 0;
    map->stamp++;
}

static int map_grow(Map *map) {
    Map old = *map;
    size_t size = old.size ? old.size * 4 : FEWEST_SLOTS;
    if (old.spare_room < size) {
        Slot *fresh = calloc(size, sizeof *fresh);
        if (!fresh) {
            PyErr_NoMemory();
            return -1;
        }
        free(old.spare);
        old.spare = fresh;
        old.spare_room = size;
    }
    *map = (Map){old.spare, old.slots, size, old.used, old.spare_room, old.room, old.stamp + 1};
    for (size_t i = 0; i < old.size; i++)
        if (old.slots[i].stamp == old.stamp) {
            size_t slot = slot_of(map, old.slots[i].key);
            map->slots[slot] = (Slot){old.slots[i].key, old.slots[i].number, map->stamp};
        }
    return 0;
}

/* Return the number of a key, ABSENT if there is none. */
static inline int32_t map_get(const Map *map, uint64_t key) {
    if (!map->size) return ABSENT;
    size_t slot = slot_of(map, key);
    return map->slots[slot].stamp == map->stamp ? map->slots[slot].number : ABSENT;
}

/* Return the number of a key; a new key gets `fresh`, and sets *is_new. -1 without memory. */
static inline int32_t map_put(Map *map, uint64_t key, int32_t fresh, int *is_new) {
    if (map->used * 10 >= map->size * 6 && map_grow(map) < 0) return -1;
    size_t slot = slot_of(map, key);
    *is_new = map->slots[slot].stamp != map->stamp;
    if (*is_new) {
        map->slots[slot] = (Slot){key, fresh, map->stamp};
        map->used++;
    }
    return map->slots[slot].number;
}

#endif
