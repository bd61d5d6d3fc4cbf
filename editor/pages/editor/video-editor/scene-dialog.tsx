// Renders the scene editor: preview at the playhead, timeline, layers, and the form of the selected layer.

import Redo from 'icon:redo-2';
import Undo from 'icon:undo-2';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import { setConfig } from '../../../board/edits.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';
import type { Schema } from './json-schema.ts';
import { LayerForm } from './layer-form.tsx';
import { LayerList } from './layer-list.tsx';
import { getAt, type Layer, listLayers, type Path } from './layers.ts';
import { MINIMAL_GRAPH } from './new-layers.ts';
import styles from './scene.module.css';
import { Timeline } from './timeline.tsx';

const sceneMessages = messages.flow.scene;

interface SceneDialogProps {
  readonly nodeId: string;
  readonly onClose: () => void;
}

export function SceneDialog({ nodeId, onClose }: SceneDialogProps) {
  const schema = useQuery({
    // The path for session cookies.
    ...apiQuery<{ readonly data: { readonly jsonSchema: Schema } }>(['/app/renderer/scene-graph'], {
      include: 'schema',
    }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog title={sceneMessages.title} size="xl" onClose={onClose}>
      <QueryResult query={schema}>
        {({ data }) => <SceneEditor nodeId={nodeId} schema={data.jsonSchema} />}
      </QueryResult>
    </Dialog>
  );
}

interface SceneEditorProps {
  readonly nodeId: string;
  readonly schema: Schema;
}

function SceneEditor({ nodeId, schema }: SceneEditorProps) {
  const { graph, change } = useSceneGraph(nodeId);
  const [selection, setSelection] = useState<Path>(['scenes', 0]);
  const [chosenTime, setTime] = useState<number>();
  if (graph === undefined)
    return (
      <div className={styles.empty}>
        <p>{sceneMessages.empty}</p>
        <Button variant="primary" onClick={() => change(sceneMessages.create, MINIMAL_GRAPH)}>
          {sceneMessages.create}
        </Button>
      </div>
    );
  const layers = listLayers(graph);
  // Undo or another user may have removed the selected layer.
  const selectedPath = isJsonObject(getAt(graph, selection)) ? selection : [];
  const findLayer = (path: Path): Layer | undefined =>
    layers.find(layer => layer.path.join('/') === path.join('/'));
  const time = chosenTime ?? findTimeInLayer(findLayer(selectedPath), undefined);
  const choose = (path: Path): void => {
    setSelection(path);
    setTime(findTimeInLayer(findLayer(path), time));
  };
  return (
    <div className={styles.editor}>
      <div className={styles.player}>
        <UndoButtons />
        <Timeline {...{ nodeId, graph, layers, selectedPath, time }} onSelect={choose} onTime={setTime} />
      </div>
      <LayerList
        {...{ schema, graph, layers, selectedPath }}
        onSelect={choose}
        onChange={(label, newGraph, path) => {
          change(label, newGraph);
          setSelection(path);
        }}
      />
      <LayerForm key={selectedPath.join('/')} {...{ schema, graph, selectedPath }} onChange={change} />
    </div>
  );
}

/**
 * Returns the current time if the layer is visible at that time. Otherwise returns the middle of the layer, because its
 * entrance has usually ended by then.
 */
function findTimeInLayer(layer: Layer | undefined, current: number | undefined): number {
  if (layer === undefined) return current ?? 0;
  const { start, end } = layer;
  return current !== undefined && current >= start && current < end ? current : start + (end - start) / 2;
}

/** Renders undo and redo buttons, because the dialog blocks the board's shortcuts. */
function UndoButtons() {
  const { actions } = useEditor().session.store;
  const hasPast = useBoard(({ history }) => history.past.length > 0);
  const hasFuture = useBoard(({ history }) => history.future.length > 0);
  return (
    <div className={styles.steps}>
      <IconButton
        size="s"
        icon={Undo}
        label={messages.flow.tools.undo}
        disabled={!hasPast}
        onClick={() => actions.undo()}
      />
      <IconButton
        size="s"
        icon={Redo}
        label={messages.flow.tools.redo}
        disabled={!hasFuture}
        onClick={() => actions.redo()}
      />
    </div>
  );
}

/** Returns the node's scene graph, and a setter that joins edits with the same key into one undo step. */
function useSceneGraph(nodeId: string) {
  const { store, catalog } = useEditor().session;
  const props = useBoard(({ board }) => findNode(board, nodeId)?.data.config?.props);
  const graph = isJsonObject(props) && isJsonObject(props.sceneGraph) ? props.sceneGraph : undefined;
  const change = (label: string, sceneGraph: JsonObject, key?: string): void => {
    const newProps: Json = { ...(isJsonObject(props) ? props : {}), sceneGraph };
    const changes = setConfig(store.getState().board, catalog, nodeId, { props: newProps });
    store.actions.perform(label, changes, key === undefined ? undefined : `scene ${nodeId} ${key}`);
  };
  return { graph, change };
}
