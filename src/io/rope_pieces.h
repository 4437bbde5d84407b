// What rope and file writer share.
#ifndef PTE_SRC_IO_ROPE_PIECES_H_
#define PTE_SRC_IO_ROPE_PIECES_H_

#include <cstdint>

#include "pte/rope.h"

namespace pte {

// In bytes.
uint64_t PieceSize(const Rope::Piece& piece);

}  // namespace pte

#endif  // PTE_SRC_IO_ROPE_PIECES_H_
