// PTE_EXPORT marks what a shared build of the library shows; everything else stays hidden, flatbuffers' inline code included, so that a
// process that also loads the ExecuTorch runtime keeps two separate copies of it.
#ifndef PTE_EXPORT_H_
#define PTE_EXPORT_H_

#if defined(PTE_SHARED) && (defined(__GNUC__) || defined(__clang__))
#define PTE_EXPORT __attribute__((visibility("default")))
#else
#define PTE_EXPORT
#endif

#endif  // PTE_EXPORT_H_
