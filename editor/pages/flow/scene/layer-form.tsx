// Renders the fields of the selected layer from the scene graph's schema.
import { useRef } from 'react';
import type { Json, JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { fieldOf, isObject, resolve, type Schema } from './json-schema.ts';
import { getAt, type Path, setAt } from './layers.ts';
import { elementSchema } from './new-layers.ts';
import styles from './scene.module.css';
import { SceneField } from './scene-field.tsx';

const sceneMessages = messages.flow.scene;

/** Rarely used fields. */
const MORE = {
  id: 'more',
  keys: [
    'id',
    'name',
    'blockId',
    'props',
    'fonts',
    'theme',
    'assets',
    'defaults',
    'durationInFrames',
    'metadata',
  ],
} as const;
/** The fields shown first, per kind of layer. The others follow in collapsed groups. */
const GROUPS: readonly {
  readonly id: keyof typeof sceneMessages.groups;
  readonly keys: readonly string[];
}[] = [
  { id: 'time', keys: ['start', 'duration', 'trim', 'speed', 'loop', 'transition', 'motion'] },
  {
    id: 'position',
    keys: ['x', 'y', 'width', 'height', 'anchor', 'rotation', 'scale', 'skewX', 'skewY', 'flip', 'zIndex'],
  },
  {
    id: 'appearance',
    keys: ['opacity', 'blend', 'filters', 'shadow', 'border', 'radius', 'clip', 'mask', 'hidden'],
  },
  MORE,
];
/** Edited as separate layers, or implied by the layer. */
const ELSEWHERE: ReadonlySet<string> = new Set(['type', 'scenes', 'tracks', 'overlays', 'elements']);

interface LayerFormProps {
  readonly schema: Schema;
  readonly graph: JsonObject;
  readonly selected: Path;
  readonly onChange: (label: string, graph: JsonObject, key: string) => void;
}

export function LayerForm({ schema, graph, selected, onChange }: LayerFormProps) {
  // Keeps a field with the focus in place while its value changes.
  const latest = useRef(graph);
  latest.current = graph;
  const value = getAt(graph, selected);
  const layer = isObject(value) ? value : {};
  const { properties = {} } = schemaOf(schema, selected, layer);
  const groups = selected.length === 0 ? [MORE] : GROUPS;
  const grouped = new Set<string>(groups.flatMap(({ keys }) => keys));
  const keys = Object.keys(properties).filter(key => !ELSEWHERE.has(key));
  const set = (key: string, next: Json | undefined): void => {
    const path = [...selected, key];
    onChange(sceneMessages.change(key), setAt(latest.current, path, next), path.join('/'));
  };
  const field = (key: string) => (
    <SceneField
      key={key}
      root={schema}
      name={key}
      field={fieldOf(schema, properties[key] ?? {})}
      media={layer.type}
      value={layer[key]}
      onChange={next => set(key, next)}
    />
  );
  return (
    <section className={styles.form} aria-label={sceneMessages.form}>
      {keys.filter(key => !grouped.has(key)).map(field)}
      {groups.map(({ id, keys: own }) => {
        const shown = own.filter(key => grouped.has(key) && keys.includes(key));
        if (shown.length === 0) return null;
        return (
          <details key={id} open={id === 'time'}>
            <summary>{sceneMessages.groups[id]}</summary>
            <div className={styles.fields}>{shown.map(field)}</div>
          </details>
        );
      })}
    </section>
  );
}

function schemaOf(root: Schema, path: Path, layer: JsonObject): Schema {
  if (path.length === 0) return root;
  if (path.length === 2 && path[0] === 'scenes') return resolve(root, { $ref: '#/$defs/Scene' });
  if (path.length === 2 && path[0] === 'tracks') return resolve(root, { $ref: '#/$defs/Track' });
  if (path[0] === 'audioTrack') return resolve(root, { $ref: '#/$defs/AudioItem' });
  return elementSchema(root, String(layer.type)) ?? {};
}
