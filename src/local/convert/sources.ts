// Lists the shipped models that are not ONNX, and converts them from the files of their packages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertTfjsGraph, convertTfjsLayers, type TfjsModel } from './tfjs.ts';
import { convertTflite } from './tflite.ts';

/** Increase it when the same files give another model. */
export const CONVERTER_VERSION = 1;

interface Source {
  readonly package: string;
  readonly convert: (folder: string) => Buffer;
}

/** The largest value of the pixels of a network. */
const [UNIT, BYTE] = [1, 255];

export const SOURCES = {
  'esrgan-slim-2x': {
    package: '@upscalerjs/esrgan-slim',
    convert: folder => convertTfjsLayers(...readTfjs(folder, 'models/x2/model.json'), BYTE),
  },
  'esrgan-slim-4x': {
    package: '@upscalerjs/esrgan-slim',
    convert: folder => convertTfjsLayers(...readTfjs(folder, 'models/x4/model.json'), BYTE),
  },
  'esrgan-thick-4x': {
    package: '@upscalerjs/esrgan-thick',
    convert: folder => convertTfjsLayers(...readTfjs(folder, 'models/x4/model.json'), UNIT),
  },
  person: {
    package: '@mediapipe/selfie_segmentation',
    convert: folder => convertTflite(readFileSync(join(folder, 'selfie_segmentation.tflite'))),
  },
  faces: {
    package: '@vladmandic/human',
    convert: folder => convertTfjsGraph(...readTfjs(folder, 'models/blazeface.json'), 256),
  },
} as const satisfies Readonly<Record<string, Source>>;

export type ConvertibleModel = keyof typeof SOURCES;

function readTfjs(folder: string, file: string): [TfjsModel, Buffer] {
  const path = join(folder, file);
  const model = JSON.parse(readFileSync(path, 'utf8')) as TfjsModel;
  const files = model.weightsManifest.flatMap(({ paths }) => paths);
  return [model, Buffer.concat(files.map(name => readFileSync(join(path, '..', name))))];
}
