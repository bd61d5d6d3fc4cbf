// Turns all line ends of a text into `\n` while it arrives.

// A program that ends its lines with CRLF and writes to a file in text mode of Windows ends them with `\r\r\n`.
const LINE_END = /\r{1,2}\n|\r/g;
const UNFINISHED = /\r{1,2}$/;

export async function* normalizeLineEnds(
  chunks: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + chunk;
    rest = UNFINISHED.exec(text)?.[0] ?? '';
    yield text.slice(0, text.length - rest.length).replace(LINE_END, '\n');
  }
  yield rest.replace(LINE_END, '\n');
}
