// Runs a fake OpenTelemetry collector: accepts OTLP over HTTP as protobuf, decodes the spans, and fails on request.
import type { Responder } from './receiver.ts';
import { startReceiver } from './receiver.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The resource attributes of the process. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Number of requests, including refused ones. */
  readonly requestCount: number;
  find(name: RegExp): readonly CollectedSpan[];
  /** Replaces the response and returns a function that restores it. Spans of replaced responses are not kept. */
  answer(responder: Responder): () => void;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const receiver = await startReceiver();
  const acceptSpans: Responder = (res, { path, bytes }) => {
    if (path !== '/v1/traces') return res.writeHead(404).end();
    spans.push(...readSpans(bytes));
    return res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  };
  receiver.answer(acceptSpans);
  return {
    url: receiver.url,
    spans,
    get requestCount() {
      return receiver.received.length;
    },
    find: name => spans.filter(span => name.test(span.name)),
    answer: responder => {
      receiver.answer(responder);
      return () => receiver.answer(acceptSpans);
    },
    close: () => receiver.close(),
  };
}

/** Maps field numbers to values: bytes or integers. */
type Message = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** Decodes the parts of the protocol buffers wire format that are used here. */
function readMessage(bytes: Buffer): Message {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(offset++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const readers: Readonly<Record<number, () => Buffer | bigint>> = {
    0: varint,
    1: () => take(8),
    2: () => take(Number(varint())),
    5: () => take(4),
  };
  while (offset < bytes.length) {
    const tag = Number(varint());
    const read = readers[tag & 7];
    if (read === undefined) throw new Error(`The field has the unknown wire type ${tag & 7}.`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), read()]);
  }
  return fields;
}

const messagesOf = (message: Message, field: number): readonly Message[] =>
  (message.get(field) ?? []).map(value => readMessage(value as Buffer));
const bytesOf = (message: Message, field: number): Buffer =>
  (message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const msOf = (message: Message, field: number): number =>
  Number(bytesOf(message, field).readBigUInt64LE()) / 1e6;

/** Decodes an ExportTraceServiceRequest into its spans. */
function readSpans(bytes: Buffer): readonly CollectedSpan[] {
  return messagesOf(readMessage(bytes), 1).flatMap(group => {
    const resource = messagesOf(group, 1).map(message => attributesOf(message, 1))[0] ?? {};
    return messagesOf(group, 2).flatMap(scope => messagesOf(scope, 2).map(span => toSpan(span, resource)));
  });
}

function toSpan(span: Message, resource: CollectedSpan['resource']): CollectedSpan {
  return {
    traceId: bytesOf(span, 1).toString('hex'),
    spanId: bytesOf(span, 2).toString('hex'),
    parentId: bytesOf(span, 4).toString('hex'),
    name: bytesOf(span, 5).toString(),
    kind: Number(span.get(6)?.[0] ?? 0n),
    startMs: msOf(span, 7),
    endMs: msOf(span, 8),
    isFailed: messagesOf(span, 15).some(status => status.get(3)?.[0] === 2n),
    attributes: attributesOf(span, 9),
    resource,
  };
}

function attributesOf(message: Message, field: number): CollectedSpan['attributes'] {
  const pairs = messagesOf(message, field).map(pair => {
    const value = readMessage(bytesOf(pair, 2));
    const [kind, [first] = []] = [...value][0] ?? [];
    const read =
      kind === 1
        ? String(first)
        : kind === 2
          ? first === 1n
          : kind === 4
            ? (first as Buffer).readDoubleLE()
            : Number(first);
    return [bytesOf(pair, 1).toString(), read] as const;
  });
  return Object.fromEntries(pairs);
}
