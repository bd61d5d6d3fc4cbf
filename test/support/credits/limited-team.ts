// Creates a team with credits and a member whose runs a monthly limit may refuse.
import assert from 'node:assert/strict';
import { insertMember } from '../../../src/store/teams.ts';
import type { Client, TestUser } from '../client.ts';
import { createPaidTeam, type PaidService } from './paid.ts';

export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly requiredCredits: number;
  readonly availableCredits: number;
  readonly monthlyCredits: number;
}

/** A team with a member whose monthly limit tests set. */
export interface LimitedTeam {
  readonly teamId: string;
  readonly folderId: string;
  readonly owner: TestUser;
  readonly member: TestUser;
  createWorkflow(user: Client, graph: object): Promise<string>;
  setLimit(monthlyCredits: number | null): Promise<void>;
}

export async function createLimitedTeam(paid: PaidService, credits = 10_000): Promise<LimitedTeam> {
  const owner = (await paid.newUser(0)) as TestUser;
  const member = (await paid.newUser(0)) as TestUser;
  const { teamId, folderId } = await createPaidTeam(paid, owner, credits);
  await insertMember(paid.service.db, teamId, member.userId, 'EDITOR');
  return {
    teamId,
    folderId,
    owner,
    member,
    async createWorkflow(user, graph) {
      const id = await user.createWorkflow(graph);
      assert.equal((await user.request('PUT', `/workflows/${id}`, { folderId })).status, 200);
      return id;
    },
    async setLimit(monthlyCredits) {
      const path = `/teams/${teamId}/members/${member.userId}/limit`;
      const { status, body } = await owner.request('PUT', path, { monthlyCredits });
      assert.deepEqual([status, body.monthlyCredits], [200, monthlyCredits]);
    },
  };
}

export const start = (user: Client, workflow: string, body: object = {}) =>
  user.request<Refused & { executionId: string }>('POST', `/workflows/${workflow}/run`, body);
