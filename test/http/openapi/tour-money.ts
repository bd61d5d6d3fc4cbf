// Sends requests about what members of a team and API keys may spend.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** `graph` costs credits. */
export async function tourMoney(
  { send, addKey }: Pick<TourContext, 'send' | 'addKey'>,
  graph: object,
): Promise<void> {
  await send('GET', `${V1}/admin/spending?groupBy=team`);
  const created = await send('POST', `${V1}/keys`, {
    name: 'Limited',
    scopes: ['workflows:write', 'workflows:execute'],
    monthlyCredits: 0,
  });
  addKey('limited', (created.body as unknown as { key: string }).key);
  const { id: teamId } = (await send('POST', `${V1}/teams`, { name: 'Finance' })).body;
  await send('POST', `${V1}/admin/credits`, { teamId, amount: 1000, note: 'Budget' });
  const { id: folderId } = (await send('POST', `${V1}/folders`, { name: 'Paid', teamId })).body;
  const { id } = (await send('POST', `${V1}/workflows`, graph)).body;
  await send('PUT', `${V1}/workflows/${id}`, { folderId });
  await send('POST', `${V1}/workflows/${id}/run`, {}, { who: 'limited' });
  await send('PUT', `${V1}/teams/${teamId}/members/1/limit`, { monthlyCredits: 0 });
  await send('POST', `${V1}/workflows/${id}/run`, {});
  await send('GET', `${V1}/teams/${teamId}/policy`);
  const models = { allow: null, deny: ['generate:openai_gpt_image'] };
  await send('PUT', `${V1}/teams/${teamId}/policy`, { providers: ['openai'], models });
  await send('POST', `${V1}/workflows/${id}/run`, {});
}
