// Defines the messages between the service and the processes that run models.

/** 8-bit pixels, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** RGB unless the task says otherwise. */
  readonly bytes: Uint8Array;
}

export interface Face {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly score: number;
}

export interface TextLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** 0 to 100. */
  readonly confidence: number;
}

/** How a model of the operator's own gets its input: floats of RGB from 0 to 1, minus `mean`, divided by `std`. */
export interface Preparation {
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** The input and the output of each kind of task. `model` is the path of an ONNX file. */
export interface LocalTasks {
  /** Enlarges a tile by the model's own factor, or by a part of it. */
  upscale: {
    input: Preparation & {
      readonly model: string;
      readonly tile: Pixels;
      readonly modelFactor: number;
      readonly factor: number;
    };
    output: Pixels;
  };
  faces: { input: { readonly model: string; readonly image: Pixels }; output: readonly Face[] };
  /** Finds people. `small` has the size of the model, `guide` that of the result, which has one byte per pixel. */
  person: {
    input: { readonly model: string; readonly small: Pixels; readonly guide: Pixels };
    output: Pixels;
  };
  /** Runs a model. The output is its first, with its dimensions. */
  model: {
    input: Preparation & { readonly model: string; readonly image: Pixels };
    output: { readonly values: Float32Array; readonly dims: readonly number[] };
  };
  /** Makes a mask of one value per pixel fit the edges of the guide. */
  refine: { input: { readonly mask: Pixels; readonly guide: Pixels }; output: Pixels };
  ocr: {
    input: { readonly data: string; readonly language: string; readonly image: Pixels };
    output: { readonly text: string; readonly lines: readonly TextLine[] };
  };
  /** Cleans mono speech at 48 kHz. The samples before and after the part only prepare the models. */
  speech: {
    input: {
      readonly model: string;
      readonly samples: Float32Array;
      readonly skip: number;
      readonly keep: number;
    };
    output: { readonly samples: Float32Array; readonly voice: Float32Array };
  };
  /** Traces RGBA. `colorBits` of each color are used, and shapes of fewer pixels left out. */
  vectorize: {
    input: { readonly image: Pixels; readonly colorBits: number; readonly minPixels: number };
    output: { readonly svg: string };
  };
  language: {
    input: { readonly text: string };
    output: { readonly language: string; readonly confidence: number };
  };
}

export type LocalTaskKind = keyof LocalTasks;

export interface LocalTask {
  readonly kind: LocalTaskKind;
  readonly input: unknown;
}

/** What a process answers: the output, or why the model cannot be used. */
export type LocalAnswer = { readonly value: unknown } | { readonly invalid: string };

/** The samples of speech per second, and per value of `voice`. */
export const SPEECH_RATE = 48_000;
export const VOICE_SAMPLES = 1536;
