// Reads the headers of requests that start runs.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';

/** Reads the options of a start from the headers. */
export const parseStartOptions = (req: FastifyRequest) => ({
  idempotencyKey: getIdempotencyKey(req),
  trigger: readClientKind(req),
});

export const getIdempotencyKey = (req: FastifyRequest): string | undefined =>
  readSingleHeader(req, 'idempotency-key');

/** Returns the kind of client, which the run only records. */
function readClientKind(req: FastifyRequest): string {
  const client = req.headers['x-client'];
  return client === 'editor' || client === 'cli' ? client : 'api';
}

function readSingleHeader(req: FastifyRequest, name: string): string | undefined {
  const value = req.headers[name];
  if (Array.isArray(value)) throw new AppError('invalid_request', `Send the header ${name} only once.`);
  return value;
}

const MAX_WAIT_SECONDS = 60;

export interface Preference {
  /** 0 if the caller does not wait. */
  readonly waitSeconds: number;
  /** Set if the wait was shortened. */
  readonly warnings?: readonly string[];
}

/** Parses `Prefer: wait=N`, at most 60 seconds. Ignores other preferences. */
export function parsePrefer(header: string | string[] | undefined): Preference {
  const wait = /(?:^|[,;]\s*)wait\s*=\s*"?(\d{1,6})"?/i.exec([header ?? ''].flat().join(','))?.[1];
  const seconds = Number(wait ?? 0);
  if (seconds <= MAX_WAIT_SECONDS) return { waitSeconds: seconds };
  const warning = `Prefer: wait=${seconds} exceeds the limit. The request waited ${MAX_WAIT_SECONDS} s.`;
  return { waitSeconds: MAX_WAIT_SECONDS, warnings: [warning] };
}
