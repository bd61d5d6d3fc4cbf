// Receives the soak's webhooks, responds by a changing mode, and records the events of each run.
import type { ServerResponse } from 'node:http';
import { type RecordedRequest, startReceiver } from '../support/network/receiver.ts';
import type { ResponseMode } from './plan.ts';

export interface ReceivedEvent {
  readonly eventId: string;
  readonly raw: string;
  readonly status: string;
  readonly executionId: string;
  /** Whether the receiver responded with success. */
  readonly isAccepted: boolean;
}

export interface Hooks {
  readonly url: string;
  /** How the receiver responds from now on. */
  responseMode: ResponseMode;
  /** The events by run number. */
  readonly received: ReadonlyMap<number, readonly ReceivedEvent[]>;
  close(): Promise<void>;
}

const RESPONSES: Readonly<Record<ResponseMode, (res: ServerResponse) => void>> = {
  answers: res => void res.writeHead(204).end(),
  fails: res => void res.writeHead(500).end('no'),
  hangs: () => undefined,
  resets: res => void res.socket?.resetAndDestroy(),
};

export async function startHooks(): Promise<Hooks> {
  const received = new Map<number, ReceivedEvent[]>();
  const receiver = await startReceiver();
  const hooks: Hooks = {
    url: receiver.url,
    responseMode: 'answers',
    received,
    close: () => receiver.close(),
  };
  receiver.answer((res, { path, raw, body }: RecordedRequest) => {
    const [, kind, run] = path.split('/');
    if (kind === 'site') return res.writeHead(200).end('ok');
    const responseMode = kind === 'failing' ? 'fails' : hooks.responseMode;
    const { eventId, status, executionId } = body as Readonly<Record<string, string>>;
    const event: ReceivedEvent = {
      eventId: eventId ?? '',
      status: status ?? '',
      executionId: executionId ?? '',
      raw,
      isAccepted: responseMode === 'answers',
    };
    received.set(Number(run), [...(received.get(Number(run)) ?? []), event]);
    return RESPONSES[responseMode](res);
  });
  return hooks;
}
