// Performs random gestures in a real browser and compares with a model: after every few gestures the local draft and
// the service match the model, and undoing all gestures restores the board byte for byte. GESTURES and SEED set the
// number of gestures and the seed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { isNightly } from '../../support/tier.ts';
import { setUpFlowTests } from './flow-browser.ts';
import { untilSaved } from './flow-page.ts';
import { type Edge, GestureModel, makeGrid, type Point, pickPositionInCell } from './gesture-model.ts';

/** A few in `npm test`, because tests of the board without a browser perform many more. */
const GESTURES = Number(process.env.GESTURES ?? (isNightly ? 400 : 20));
const SEED = Number(process.env.SEED ?? 16);
/** Gestures between two comparisons. */
const GESTURES_PER_CHECK = 20;
/** Less than the size of the history, so that all can be undone. */
const GESTURES_PER_ROUND = 400;
const VIEW = { width: 1920, height: 1080, colorScheme: 'light' } as const;
const HEADER_OFFSET = { x: 150, y: 14 };

interface Board {
  readonly nodes: readonly {
    readonly id: string;
    readonly position: Point;
    readonly data: { readonly label: string };
  }[];
  readonly edges: readonly Edge[];
}

describe('the editor under random gestures', {
  skip: BROWSER_MISSING_REASON,
  timeout: 180_000 + GESTURES * 1000,
}, () => {
  const flow = setUpFlowTests();

  it(`agrees with the model in draft, service and undo after ${GESTURES} gestures of seed ${SEED}`, async () => {
    const start = makeGrid();
    const id = await flow.create(start);
    await using testPage = await flow.open(id, VIEW);
    const { page } = testPage;
    const readServer = async (): Promise<Board> => toBoard((await flow.read(id)) as unknown as Board);
    const first = JSON.stringify(await readServer());
    await page.getByRole('button', { name: 'Zoom to 100%' }).click();
    const random = createSeededRandom(SEED);
    const model = new GestureModel(start);
    const gestures: string[] = [];
    for (let gestureCount = 0; gestureCount < GESTURES; ) {
      for (
        const end = Math.min(gestureCount + GESTURES_PER_ROUND, GESTURES);
        gestureCount < end;
        gestureCount++
      ) {
        gestures.push(await perform(page, model, random));
        if (gestureCount % GESTURES_PER_CHECK === GESTURES_PER_CHECK - 1)
          await compare(page, {
            id,
            model,
            readServer,
            after: gestures.slice(-GESTURES_PER_CHECK).join(', '),
          });
      }
      await compare(page, { id, model, readServer, after: `gesture ${gestureCount}` });
      for (let steps = model.undoCount; steps > 0; steps--) await page.keyboard.press('Control+z');
      await page.getByRole('button', { name: 'Undo', exact: true, disabled: true }).waitFor();
      model.undoAll();
      await untilSaved(page);
      assert.equal(JSON.stringify(await readServer()), first);
    }
    assert.deepEqual(testPage.errors, []);
  });
});

interface Comparison {
  readonly id: string;
  readonly model: GestureModel;
  readonly readServer: () => Promise<Board>;
  readonly after: string;
}

async function compare(page: Page, { id, model, readServer, after: when }: Comparison): Promise<void> {
  await untilSaved(page);
  const server = await readServer();
  assert.deepEqual(toShape(server), model.shape, `the service after ${when}`);
  // The draft is written shortly after the change.
  const expected = JSON.stringify(server);
  await waitUntil(
    `the draft after ${when}`,
    async () => JSON.stringify(toBoard(await readDraft(page, id))) === expected,
  );
}

/** Removes what the service computes on each read. */
function toBoard({ nodes, edges }: Board): Board {
  const withoutDims = (node: object): Board['nodes'][number] => {
    const { dims: _, ...stored } = node as Board['nodes'][number] & { readonly dims?: unknown };
    return stored;
  };
  return { nodes: nodes.map(withoutDims), edges };
}

const toShape = ({ nodes, edges }: Board): GestureModel['shape'] => ({
  nodes: nodes.map(({ id, position: { x, y }, data }) => `${id} ${data.label} ${x},${y}`).sort(),
  edges: edges.map(edge => `${edge.source}.${edge.sourceHandle} ${edge.target}.${edge.targetHandle}`).sort(),
});

const readDraft = async (page: Page, id: string): Promise<Board> =>
  (await page.evaluate(`new Promise((resolve, reject) => {
    const request = indexedDB.open('graphwright');
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const all = request.result.transaction('drafts').objectStore('drafts').getAll();
      all.onerror = () => reject(all.error);
      all.onsuccess = () => {
        request.result.close();
        resolve(all.result.find(({ workflowId }) => workflowId === ${JSON.stringify(id)})?.board ?? { nodes: [], edges: [] });
      };
    };
  })`)) as Board;

type Random = () => number;
type GestureAction = (page: Page, model: GestureModel, random: Random) => Promise<boolean>;

const pick = <T>(items: readonly T[], random: Random): T | undefined =>
  items[Math.floor(random() * items.length)];

/** Performs a gesture on the page and in the model, and returns its name. */
async function perform(page: Page, model: GestureModel, random: Random): Promise<string> {
  for (;;) {
    const name = pick(Object.keys(GESTURE_ACTIONS), random) ?? 'select';
    if (await GESTURE_ACTIONS[name]?.(page, model, random)) return `${name} (${model.undoCount})`;
  }
}

const GESTURE_ACTIONS: Readonly<Record<string, GestureAction>> = {
  select: async (page, model, random) => {
    const id = pick(model.ids, random);
    if (id === undefined) return false;
    await page.mouse.click(...(await locateHeader(page, id)));
    model.select([id]);
    return true;
  },
  'toggle selection': async (page, model, random) => {
    const id = pick(model.ids, random);
    if (id === undefined) return false;
    await page.keyboard.down('Shift');
    await page.mouse.click(...(await locateHeader(page, id)));
    await page.keyboard.up('Shift');
    model.toggle(id);
    return true;
  },
  // Control disables snapping, so that the model knows the final position.
  drag: (page, model, random) => dragBy(page, model, { random, keys: ['Control'] }),
  detach: (page, model, random) => dragBy(page, model, { random, keys: ['Control', 'Alt'] }),
  nudge: async (page, model, random) => {
    // Two quick moves in a row are one undo step.
    if (model.selection.size === 0 || model.lastGesture === 'nudge') return false;
    const dx = pick([8, -8], random) ?? 8;
    await page.keyboard.press(dx > 0 ? 'ArrowRight' : 'ArrowLeft');
    model.nudge(dx);
    return true;
  },
  connect: async (page, model, random) => {
    const [source, target] = [pick(model.ids, random), pick(model.ids, random)];
    if (source === undefined || target === undefined) return false;
    const handle = `in-text${1 + Math.floor(random() * 4)}`;
    const [from, to] = [await locatePort(page, source, 'out-text'), await locatePort(page, target, handle)];
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 3 });
    await page.mouse.move(...to, { steps: 2 });
    await page.mouse.up();
    model.connect({ source, sourceHandle: 'out-text', target, targetHandle: handle });
    return true;
  },
  delete: async (page, model) => {
    if (model.selection.size === 0 || model.ids.length - model.selection.size < 2) return false;
    await page.keyboard.press('Delete');
    model.remove();
    return true;
  },
  undo: async (page, model) => {
    if (model.undoCount === 0) return false;
    await page.keyboard.press('Control+z');
    model.undo();
    return true;
  },
  redo: async (page, model) => {
    if (model.redoCount === 0) return false;
    await page.keyboard.press('Control+Shift+z');
    model.redo();
    return true;
  },
};

async function dragBy(
  page: Page,
  model: GestureModel,
  { random, keys }: { readonly random: Random; readonly keys: readonly string[] },
): Promise<boolean> {
  const id = pick(model.ids, random);
  if (id === undefined) return false;
  // Moves a node only within its cell, so that no node covers the ports of another node.
  await page.mouse.click(...(await locateHeader(page, id)));
  model.select([id]);
  const to = pickPositionInCell(id, random);
  const from = model.positionOf(id);
  const detaches = keys.includes('Alt');
  const offset = detaches ? { x: 0, y: 0 } : { x: to.x - from.x, y: to.y - from.y };
  const [x, y] = await locateHeader(page, id);
  for (const key of keys) await page.keyboard.down(key);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 12, y + 12, { steps: 2 });
  await page.mouse.move(x + offset.x, y + offset.y, { steps: 3 });
  await page.mouse.up();
  for (const key of keys) await page.keyboard.up(key);
  if (detaches) model.detach(id);
  else model.move(id, to);
  return true;
}

type ScreenPoint = readonly [x: number, y: number];

async function locateHeader(page: Page, id: string): Promise<ScreenPoint> {
  const box = await page.locator(`[data-node-id="${id}"]`).boundingBox();
  assert.ok(box, `${id} is on the screen`);
  return [box.x + HEADER_OFFSET.x, box.y + HEADER_OFFSET.y];
}

async function locatePort(page: Page, id: string, port: string): Promise<ScreenPoint> {
  const box = await page.locator(`[data-node-id="${id}"] [data-port="${port}"]`).boundingBox();
  assert.ok(box, `${port} of ${id} is on the screen`);
  return [box.x + box.width / 2, box.y + box.height / 2];
}
