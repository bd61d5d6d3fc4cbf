// Renders the list of layers of a video, with buttons to add, move, duplicate and remove them.

import Copy from 'icon:copy';
import Trash from 'icon:trash-2';
import { useState } from 'react';
import type { JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { MoveButtons } from '../../../kit/sortable-list.tsx';
import type { Schema } from './json-schema.ts';
import {
  countSiblings,
  findNextSelection,
  getAt,
  insertAt,
  type Layer,
  moveLayer,
  type Path,
  removeAt,
} from './layers.ts';
import { createLayer, listElementTypes } from './new-layers.ts';
import styles from './scene.module.css';

const sceneMessages = messages.flow.scene;
const CONTAINER_KINDS = ['scene', 'track', 'sound'] as const;

interface LayerListProps {
  readonly schema: Schema;
  readonly graph: JsonObject;
  readonly layers: readonly Layer[];
  readonly selectedPath: Path;
  readonly onSelect: (path: Path) => void;
  /** Called with the changed graph and the new selection. */
  readonly onChange: (label: string, graph: JsonObject, selectedPath: Path) => void;
}

export function LayerList({ schema, graph, layers, selectedPath, onSelect, onChange }: LayerListProps) {
  return (
    <section className={styles.layers} aria-label={sceneMessages.layers}>
      <AddLayer {...{ schema, graph, selectedPath, onChange }} />
      <ul>
        {layers.map(layer => (
          <li key={layer.path.join('/')}>
            <button
              type="button"
              className={styles.layer}
              style={{ paddingInlineStart: `${0.5 + layer.depth * 0.75}rem` }}
              aria-pressed={layer.path.join('/') === selectedPath.join('/')}
              onClick={() => onSelect(layer.path)}
            >
              {sceneMessages.layer(layer)}
            </button>
          </li>
        ))}
      </ul>
      <LayerTools {...{ graph, selectedPath, onChange }} />
    </section>
  );
}

function AddLayer({
  schema,
  graph,
  selectedPath,
  onChange,
}: Pick<LayerListProps, 'schema' | 'graph' | 'selectedPath' | 'onChange'>) {
  const [kind, setKind] = useState('text');
  const add = (): void => {
    const { path, item } = createLayer(schema, graph, selectedPath, kind);
    onChange(sceneMessages.add(sceneMessages.kind(kind)), insertAt(graph, path, item), path);
  };
  return (
    <div className={styles.add}>
      <SelectField
        label={sceneMessages.newLayer}
        value={kind}
        onChange={({ target }) => setKind(target.value)}
        options={[...listElementTypes(schema), ...CONTAINER_KINDS].map(
          option => [option, sceneMessages.kind(option)] as const,
        )}
      />
      <Button onClick={add}>{sceneMessages.addIt}</Button>
    </div>
  );
}

function LayerTools({
  graph,
  selectedPath,
  onChange,
}: Pick<LayerListProps, 'graph' | 'selectedPath' | 'onChange'>) {
  const index = Number(selectedPath.at(-1) ?? 0);
  const listPath = selectedPath.slice(0, -1);
  const count = selectedPath.length === 0 ? 0 : countSiblings(graph, selectedPath);
  const isLastScene = selectedPath.length === 2 && selectedPath[0] === 'scenes' && count === 1;
  const move = (offset: 1 | -1): void =>
    onChange(sceneMessages.move, moveLayer(graph, selectedPath, offset), [...listPath, index + offset]);
  const nextPath = [...listPath, index + 1];
  return (
    <div className={styles.tools}>
      <MoveButtons index={index} count={count} onMove={move} />
      <IconButton
        size="s"
        icon={Copy}
        label={sceneMessages.copy}
        disabled={count === 0}
        onClick={() =>
          onChange(sceneMessages.copy, insertAt(graph, nextPath, getAt(graph, selectedPath) ?? {}), nextPath)
        }
      />
      <IconButton
        size="s"
        icon={Trash}
        label={sceneMessages.remove}
        disabled={count === 0 || isLastScene}
        onClick={() =>
          onChange(
            sceneMessages.remove,
            removeAt(graph, selectedPath),
            findNextSelection(graph, selectedPath),
          )
        }
      />
    </div>
  );
}
