// Sets up teams for API tests.
import assert from 'node:assert/strict';
import type { Caller } from '../app.ts';

/** Invites the person to the team and accepts the invitation. */
export async function joinTeam(
  owner: Pick<Caller, 'request'>,
  teamId: string,
  { email, request }: Pick<Caller, 'email' | 'request'>,
  role: string,
): Promise<void> {
  const sent = await owner.request('POST', `/teams/${teamId}/members`, { email, role });
  assert.equal(sent.status, 202, sent.body.error);
  assert.equal((await request('POST', `/invitations/${sent.body.id}/accept`)).status, 200);
}
