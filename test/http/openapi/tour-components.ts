// The part of the tour about components.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Calls the workflow from others. */
export async function tourComponents({ ask }: TourContext, workflowId: string): Promise<void> {
  const component = `${V1}/workflows/${workflowId}`;
  const toCallerWorkflow = (called: string, version?: number) => ({
    id: 'card',
    type: 'basedNode',
    position: { x: 0, y: 0 },
    data: { label: 'Card', nodeType: 'component:call', config: { workflowId: called, version } },
  });
  const calling = (called: string) => ({
    name: 'Two postcards',
    nodes: [toCallerWorkflow(called, 1)],
    edges: [],
  });
  await ask('GET', `${component}/interface`);
  const { id } = (await ask('POST', `${V1}/workflows`, calling(workflowId))).body;
  const { exportedAt: _, ...file } = (await ask('GET', `${V1}/workflows/${id}/export`)).body as Record<
    string,
    unknown
  >;
  await ask('POST', `${V1}/workflows/import`, file);
  await ask('POST', `${V1}/workflows`, calling('wf_01jd8x3k5m7p9r1t3v5w7y9z0b'));
  const { id: unshared } = (
    await ask('POST', `${V1}/workflows`, { ...calling(workflowId), name: 'Unshared' })
  ).body;
  await ask('POST', `${V1}/workflows`, calling(unshared), { who: 'ada' });
  await ask('PUT', `${V1}/workflows/${unshared}`, { nodes: [toCallerWorkflow(unshared)], edges: [] });
  await ask('DELETE', `${V1}/workflows/${unshared}`);
  await ask('DELETE', component);
  await ask('GET', `${component}/callers?limit=1`);
  await ask('POST', `${component}/callers/update`, { version: 'latest', dryRun: true });
}
