// Loads ONNX models and runs them. The last models stay loaded.
import { loadPackage } from './load-package.ts';

interface Tensor {
  readonly data: Float32Array | BigInt64Array;
  readonly dims: readonly number[];
}

interface InferenceSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
  release(): Promise<void>;
}

interface OnnxRuntime {
  readonly InferenceSession: { create(path: string, options: object): Promise<InferenceSession> };
  readonly Tensor: new (
    type: 'float32' | 'int64',
    data: Float32Array | BigInt64Array,
    dims: readonly number[],
  ) => Tensor;
}

/** Thrown if a model cannot be loaded, or does not fit its input. */
export class InvalidModelError extends Error {}

/** How many models stay loaded. Most take less than 50 MB. */
const MAX_SESSIONS = 3;
/** The number of threads of a run, which the service passes as an argument of the process. */
const THREADS = Number(process.argv[2] ?? 1);

const sessions = new Map<string, InferenceSession>();

const getRuntime = (): Promise<OnnxRuntime> => loadPackage<OnnxRuntime>('onnxruntime-node');

async function loadModel(path: string): Promise<InferenceSession> {
  const loaded = sessions.get(path);
  if (loaded !== undefined) {
    sessions.delete(path);
    sessions.set(path, loaded);
    return loaded;
  }
  for (const [oldest, session] of sessions) {
    if (sessions.size < MAX_SESSIONS) break;
    sessions.delete(oldest);
    await session.release();
  }
  const { InferenceSession: Session } = await getRuntime();
  const session = await Session.create(path, {
    executionProviders: ['cpu'],
    intraOpNumThreads: THREADS,
    interOpNumThreads: 1,
    // An arena keeps seven times the memory, and saves a quarter of the processor time.
    enableCpuMemArena: false,
    logSeverityLevel: 4,
  }).catch((err: unknown) => {
    throw new InvalidModelError(`The model cannot be loaded: ${describe(err)}`);
  });
  sessions.set(path, session);
  return session;
}

const describe = (err: unknown): string => (err instanceof Error ? err.message : String(err)).slice(0, 300);

export interface TensorData {
  readonly values: Float32Array;
  readonly dims: readonly number[];
}

export type Inputs = Readonly<Record<string, TensorData | Tensor>>;

/** Runs a model. The names of inputs are those of the model; an input named `''` is its first. */
export async function runModel(
  path: string,
  inputs: Inputs,
): Promise<readonly (TensorData & { name: string })[]> {
  const session = await loadModel(path);
  const { Tensor: TensorClass } = await getRuntime();
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      name === '' ? (session.inputNames[0] ?? '') : name,
      'values' in input ? new TensorClass('float32', input.values, input.dims) : input,
    ]),
  );
  const results = await session.run(feeds).catch((err: unknown) => {
    throw new InvalidModelError(`The model cannot be run: ${describe(err)}`);
  });
  return session.outputNames.map(name => {
    const tensor = results[name];
    if (tensor === undefined || !(tensor.data instanceof Float32Array))
      throw new InvalidModelError('The output of the model is not a tensor of 32-bit floats.');
    return { name, values: tensor.data, dims: tensor.dims };
  });
}

/** Runs a model and returns its first output. */
export async function runFirst(path: string, input: TensorData): Promise<TensorData> {
  const [output] = await runModel(path, { '': input });
  if (output === undefined) throw new InvalidModelError('The model has no output.');
  return output;
}

export async function createInteger(value: number): Promise<Tensor> {
  const { Tensor: TensorClass } = await getRuntime();
  return new TensorClass('int64', BigInt64Array.of(BigInt(value)), []);
}
