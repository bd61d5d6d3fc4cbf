// The part of the tour about notices.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Reads the notice of a batch that stops because it may cost nothing. `workflow`: the path of a paid workflow. */
export async function tourNotices(
  { ask, until }: Pick<TourContext, 'ask' | 'until'>,
  workflow: string,
): Promise<void> {
  const { body } = await ask('POST', `${workflow}/batches`, { rows: [{ inputs: {} }], maxCredits: 0 });
  const { batchId } = body as unknown as { batchId: string };
  await until(`${V1}/batches/${batchId}`, ({ status }) => status === 'STOPPED');
  await ask('GET', `${V1}/notices?limit=1`);
  await ask('POST', `${V1}/notices/read`, { all: true });
  await ask('POST', `${V1}/notices/read`, {});
}
