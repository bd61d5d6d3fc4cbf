// Loads ready-made scenes (blocks), which a graph can use by blockId instead of writing elements.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SceneGraph } from '../schema/scene-graph.ts';
import { bindProps, type Props } from './bind.ts';

export interface Block {
  readonly id: string;
  readonly description: string;
  readonly props: Props;
  /** Background and elements, in the form that bind.ts reads. */
  readonly scene: Readonly<Record<string, unknown>>;
}

const FOLDER = join(import.meta.dirname, '../../../templates/blocks');

/** All blocks, ordered by file name. */
export const BLOCKS: readonly Block[] = readdirSync(FOLDER)
  .sort()
  .map(file => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Block);

/** Replaces block scenes with their elements. Returns the JSON pointers of unknown blocks, for the caller to reject. */
export function expandBlocks(graph: SceneGraph): {
  readonly graph: unknown;
  readonly unknownPaths: readonly string[];
} {
  const unknownPaths: string[] = [];
  const scenes = graph.scenes.map((scene, index) => {
    if (scene.blockId === undefined) return scene;
    const block = BLOCKS.find(({ id }) => id === scene.blockId);
    if (block === undefined) {
      unknownPaths.push(`/scenes/${index}/blockId`);
      return scene;
    }
    const { blockId: _blockId, props, ...ownFields } = scene;
    const blockScene = bindProps(block.scene, { ...block.props, ...props }) as { elements: unknown[] };
    return {
      ...blockScene,
      ...ownFields,
      elements: [...blockScene.elements, ...(ownFields.elements ?? [])],
    };
  });
  return { graph: { ...graph, scenes }, unknownPaths };
}
