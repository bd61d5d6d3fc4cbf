// The receiver of the soak's webhooks, with its moods, and what it was told of each run.
import type { ServerResponse } from 'node:http';
import { type Received, startReceiver } from '../support/receiver.ts';
import type { Mood } from './plan.ts';

export interface Told {
  readonly eventId: string;
  readonly raw: string;
  readonly status: string;
  readonly executionId: string;
  /** It was answered as received. */
  readonly isTaken: boolean;
}

export interface Hooks {
  readonly url: string;
  mood: Mood;
  /** By run. */
  readonly told: ReadonlyMap<number, readonly Told[]>;
  close(): Promise<void>;
}

const ANSWERS: Readonly<Record<Mood, (res: ServerResponse) => void>> = {
  answers: res => void res.writeHead(204).end(),
  fails: res => void res.writeHead(500).end('no'),
  hangs: () => undefined,
  resets: res => void res.socket?.resetAndDestroy(),
};

export async function startHooks(): Promise<Hooks> {
  const told = new Map<number, Told[]>();
  const receiver = await startReceiver();
  const hooks: Hooks = { url: receiver.url, mood: 'answers', told, close: () => receiver.close() };
  receiver.answer((res, { path, raw, body }: Received) => {
    const [, kind, run] = path.split('/');
    if (kind === 'site') return res.writeHead(200).end('ok');
    const mood = kind === 'deaf' ? 'fails' : hooks.mood;
    const { eventId, status, executionId } = body as Readonly<Record<string, string>>;
    const one: Told = {
      eventId: eventId ?? '',
      status: status ?? '',
      executionId: executionId ?? '',
      raw,
      isTaken: mood === 'answers',
    };
    told.set(Number(run), [...(told.get(Number(run)) ?? []), one]);
    return ANSWERS[mood](res);
  });
  return hooks;
}
