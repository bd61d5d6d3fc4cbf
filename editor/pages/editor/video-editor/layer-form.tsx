// Renders the form of the selected layer, derived from the scene graph's schema.
import { useRef } from 'react';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { resolveRef, type Schema, toField } from './json-schema.ts';
import { getAt, type Path, setAt } from './layers.ts';
import { findElementSchema } from './new-layers.ts';
import styles from './scene.module.css';
import { SceneField } from './scene-field.tsx';

const sceneMessages = messages.flow.scene;

/** Rarely used fields. The form of the video has only this group. */
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
/** Fields in collapsible groups, which follow the other fields. */
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
/** Properties without a field: other layers, and the type of the layer. */
const EXCLUDED_KEYS: ReadonlySet<string> = new Set(['type', 'scenes', 'tracks', 'overlays', 'elements']);

interface LayerFormProps {
  readonly schema: Schema;
  readonly graph: JsonObject;
  readonly selectedPath: Path;
  readonly onChange: (label: string, graph: JsonObject, key: string) => void;
}

export function LayerForm({ schema, graph, selectedPath, onChange }: LayerFormProps) {
  // An upload may finish, and set its field, after the graph has changed.
  const latestGraph = useRef(graph);
  latestGraph.current = graph;
  const value = getAt(graph, selectedPath);
  const layer = isJsonObject(value) ? value : {};
  const { properties = {} } = findLayerSchema(schema, selectedPath, layer);
  const groups = selectedPath.length === 0 ? [MORE] : GROUPS;
  const groupedKeys = new Set<string>(groups.flatMap(({ keys }) => keys));
  const keys = Object.keys(properties).filter(key => !EXCLUDED_KEYS.has(key));
  const set = (key: string, newValue: Json | undefined): void => {
    const path = [...selectedPath, key];
    onChange(sceneMessages.change(key), setAt(latestGraph.current, path, newValue), path.join('/'));
  };
  const renderField = (key: string) => (
    <SceneField
      key={key}
      root={schema}
      name={key}
      field={toField(schema, properties[key] ?? {})}
      layerType={layer.type}
      value={layer[key]}
      onChange={newValue => set(key, newValue)}
    />
  );
  return (
    <section className={styles.form} aria-label={sceneMessages.form}>
      {keys.filter(key => !groupedKeys.has(key)).map(renderField)}
      {groups.map(({ id, keys: groupKeys }) => {
        const visibleKeys = groupKeys.filter(key => groupedKeys.has(key) && keys.includes(key));
        if (visibleKeys.length === 0) return null;
        return (
          <details key={id} open={id === 'time'}>
            <summary>{sceneMessages.groups[id]}</summary>
            <div className={styles.fields}>{visibleKeys.map(renderField)}</div>
          </details>
        );
      })}
    </section>
  );
}

function findLayerSchema(root: Schema, path: Path, layer: JsonObject): Schema {
  if (path.length === 0) return root;
  if (path.length === 2 && path[0] === 'scenes') return resolveRef(root, { $ref: '#/$defs/Scene' });
  if (path.length === 2 && path[0] === 'tracks') return resolveRef(root, { $ref: '#/$defs/Track' });
  if (path[0] === 'audioTrack') return resolveRef(root, { $ref: '#/$defs/AudioItem' });
  return findElementSchema(root, String(layer.type)) ?? {};
}
