// The part of the tour about components.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Calls the workflow from another one. It has the input `place`. */
export async function tourComponents({ ask }: TourContext, workflowId: string): Promise<void> {
  const component = `${V1}/workflows/${workflowId}`;
  await ask('GET', `${component}/interface`);
  await ask('POST', `${V1}/workflows`, {
    name: 'Two postcards',
    nodes: [
      {
        id: 'card',
        type: 'basedNode',
        position: { x: 0, y: 0 },
        data: { label: 'Card', nodeType: 'component:call', config: { workflowId, version: 1 } },
      },
    ],
    edges: [],
  });
  await ask('GET', `${component}/callers?limit=1`);
  await ask('POST', `${component}/callers/update`, { version: 'latest', dryRun: true });
}
