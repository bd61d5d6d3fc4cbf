// Reads the text of a gray image with Tesseract.
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { LocalTasks, Pixels, TextLine } from '../tasks.ts';
import { loadPackage } from './load-package.ts';

/** What the program uses of tesseract.js-core, which has no types. */
interface TesseractModule {
  readonly FS: { writeFile(path: string, bytes: Uint8Array): void };
  readonly TessBaseAPI: new () => TesseractApi;
}

type CreateTesseract = (options: object) => Promise<TesseractModule>;

interface TesseractApi {
  Init(folder: null, language: string, engine: number): number;
  SetVariable(name: string, value: string): boolean;
  /** Reads `/input`. */
  SetImageFile(orientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetUTF8Text(): string;
  GetJSONText(): string;
  Clear(): void;
  End(): void;
}

interface Block {
  readonly paragraphs?: readonly {
    readonly lines?: readonly {
      readonly text: string;
      readonly confidence: number;
      readonly bbox: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
    }[];
  }[];
}

/** The engine that uses a neural network. */
const LSTM = 1;
/** Finds columns and blocks of text. */
const PAGE_MODE = '3';

let loaded:
  | { readonly language: string; readonly module: TesseractModule; readonly api: TesseractApi }
  | undefined;

async function load(language: string, data: string): Promise<NonNullable<typeof loaded>> {
  if (loaded?.language === language) return loaded;
  loaded?.api.End();
  const create = await loadPackage<CreateTesseract>('tesseract.js-core/tesseract-core-relaxedsimd-lstm.js');
  const module = loaded?.module ?? (await create({ print: () => undefined, printErr: () => undefined }));
  module.FS.writeFile(`${language}.traineddata`, await promisify(gunzip)(await readFile(data)));
  const api = new module.TessBaseAPI();
  if (api.Init(null, language, LSTM) !== 0) throw new Error(`Tesseract cannot use the data of ${language}.`);
  api.SetVariable('tessedit_pageseg_mode', PAGE_MODE);
  loaded = { language, module, api };
  return loaded;
}

export async function readText({
  data,
  language,
  image,
}: LocalTasks['ocr']['input']): Promise<LocalTasks['ocr']['output']> {
  const { module, api } = await load(language, data);
  module.FS.writeFile('/input', toGrayMap(image));
  if (api.SetImageFile(1, 0) !== 0) throw new Error('Tesseract cannot read the pixels.');
  api.Recognize(null);
  const { blocks } = JSON.parse(api.GetJSONText()) as { readonly blocks?: readonly Block[] };
  const text = api.GetUTF8Text().trim();
  api.Clear();
  return { text, lines: (blocks ?? []).flatMap(listLines) };
}

const listLines = ({ paragraphs = [] }: Block): readonly TextLine[] =>
  paragraphs
    .flatMap(({ lines = [] }) => lines)
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, confidence, bbox: { x0, y0, x1, y1 } }) => ({
      text: text.trim(),
      x: x0,
      y: y0,
      width: x1 - x0,
      height: y1 - y0,
      confidence: Math.round(10 * confidence) / 10,
    }));

/** Encodes gray pixels as a portable gray map. */
const toGrayMap = ({ width, height, bytes }: Pixels): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), bytes]);
