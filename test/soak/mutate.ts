// Mutates bytes: removes a part, repeats it, or replaces it by a token, a byte or a part of a sample.

/** Returns a random sample of the corpus, changed in one to five places. */
export function mutate(corpus: readonly Buffer[], tokens: readonly Buffer[], random: () => number): Buffer {
  const randomBelow = (length: number): number => Math.floor(random() * length);
  const pick = (list: readonly Buffer[]): Buffer => list[randomBelow(list.length)] as Buffer;
  const slice = (from: Buffer, maxLength: number): Buffer => {
    const start = randomBelow(from.length + 1);
    return from.subarray(start, start + randomBelow(maxLength));
  };
  let bytes = pick(corpus);
  for (let changes = 1 + randomBelow(5); changes > 0; changes--) {
    const start = randomBelow(bytes.length + 1);
    const end = Math.min(bytes.length, start + randomBelow(16));
    const pieces = [
      () => pick(tokens),
      () => Buffer.alloc(0),
      () => slice(pick(corpus), 80),
      () => repeat(bytes.subarray(start, end), 2 + randomBelow(20)),
      () => Buffer.from([randomBelow(256)]),
    ];
    const piece = (pieces[randomBelow(pieces.length)] as () => Buffer)();
    bytes = Buffer.concat([bytes.subarray(0, start), piece, bytes.subarray(end)]);
  }
  return bytes;
}

function repeat(bytes: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}
