// Limits how many large bodies a process reads at a time, because each is held in memory.
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { watchPace } from '../lib/min-pace.ts';
import { MAX_BODY_BYTES } from '../lib/size-limits.ts';
import type { Deps } from '../services/deps.ts';
import { createBusyError } from '../services/media/presigned-upload.ts';

type UserId = number | undefined;

/** A request that was refused because all places were taken. */
interface Refusal {
  readonly atMs: number;
  readonly userId: UserId;
  /** How many places the user had. */
  readonly places: number;
}

/**
 * Returns a hook that reads at most `max` large bodies at a time, and one less of a user. It throws 429 `upload_busy` before
 * reading another one. After that, slow senders get 408 if their user has more places than the user who was refused.
 */
export function limitLargeBodies(
  { now, timing }: Pick<Deps, 'now' | 'timing'>,
  max: number,
): onRequestAsyncHookHandler {
  const active = new Set<FastifyRequest>();
  let refusal: Refusal | undefined;
  const countPlaces = (userId: UserId): number =>
    [...active].filter(request => findUserId(request) === userId).length;
  const mustYield = (userId: UserId): boolean =>
    refusal !== undefined &&
    // A user who was refused may have got a place since, and must not lose it to the own earlier request.
    refusal.userId !== userId &&
    refusal.places < countPlaces(userId) &&
    // Twice the window, because a timer may fire late.
    performance.now() - refusal.atMs <= 2 * timing.senderPaceMs;
  return async (req, reply) => {
    if (!isLarge(req)) return;
    const userId = findUserId(req);
    const places = countPlaces(userId);
    if (active.size >= max) refusal = { atMs: performance.now(), userId, places };
    if (active.size >= max || places >= max - 1)
      throw createBusyError(`${active.size} large files are already being read`, now());
    active.add(req);
    const { raw } = req;
    const stopWatch = watchPace(
      { windowMs: timing.senderPaceMs, mustYield: () => mustYield(userId) },
      () => (raw.complete ? undefined : raw.socket.bytesRead),
      err => raw.emit('error', err),
    );
    reply.raw.once('close', () => {
      active.delete(req);
      stopWatch();
    });
  };
}

/** Whether the body is larger than most routes accept. A body of unknown length may be. */
const isLarge = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;

const findUserId = ({ actor }: FastifyRequest): UserId => (actor.kind === 'user' ? actor.userId : undefined);
