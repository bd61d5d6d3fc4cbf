// Renders the dialog with the graph of a ComfyUI node, in which people choose the values that become its inputs, and its
// outputs.
import ArrowLeft from 'icon:arrow-left';
import { useEffect, useMemo, useState } from 'react';
import { type ApiGraph, getApiTitle } from '../../../../src/graph/comfyui/api-graph.ts';
import { readConfigGraph } from '../../../../src/graph/comfyui/config-graph.ts';
import { getComfyInputs, getComfyOutputs } from '../../../../src/graph/comfyui/ports.ts';
import { applyLayout } from '../../../../src/graph/layout/layout.ts';
import type { JsonObject } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import { createCatalog } from '../../../board/catalog.ts';
import { startWorker } from '../../../board/open-board.ts';
import type { BoardGraph } from '../../../board/worker/requests.ts';
import { WorkerClient } from '../../../board/worker/worker-client.ts';
import type { StatusOutline } from '../../../canvas/painter/painting.ts';
import { StaticBoard } from '../../../canvas/static-board.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { useBoard } from '../../../session/editor-context.tsx';
import styles from './comfyui.module.css';
import { FileButtons, useGraphDrop } from './file-buttons.tsx';
import { toInnerGraph } from './inner-graph.ts';
import { messages } from './messages.ts';
import { NodeValues, PortLists } from './port-lists.tsx';

interface ComfyDialogProps {
  readonly nodeId: string;
  readonly onClose: () => void;
}

const NO_CONFIG: JsonObject = {};

export function ComfyDialog({ nodeId, onClose }: ComfyDialogProps) {
  const config = useBoard(({ board }) => findNode(board, nodeId)?.data.config ?? NO_CONFIG);
  const { graph, problem } = readConfigGraph(config.graph);
  const drop = useGraphDrop(nodeId);
  return (
    <Dialog title={messages.title} size="xl" onClose={onClose}>
      <div {...drop} className={styles.file}>
        <span>{problem === undefined ? messages.nodes(Object.keys(graph).length) : problem}</span>
        <FileButtons nodeId={nodeId} hasGraph={problem === undefined} />
      </div>
      {problem === undefined && <GraphEditor nodeId={nodeId} config={config} graph={graph} />}
    </Dialog>
  );
}

interface GraphEditorProps {
  readonly nodeId: string;
  readonly config: JsonObject;
  readonly graph: ApiGraph;
}

function GraphEditor({ nodeId, config, graph }: GraphEditorProps) {
  const [selectedId, setSelectedId] = useState<string>();
  const selected =
    selectedId !== undefined && Object.hasOwn(graph, selectedId) ? graph[selectedId] : undefined;
  const outlines = useMemo(
    () =>
      new Map<string, StatusOutline>([
        ...getComfyInputs(config).map(({ node }) => [node, 'run'] as const),
        ...getComfyOutputs(config).map(({ node }) => [node, 'added'] as const),
      ]),
    [config],
  );
  return (
    <div className={styles.editor}>
      <div className={styles.board}>
        <GraphBoard
          graph={graph}
          selectedId={selected === undefined ? undefined : selectedId}
          outlines={outlines}
          onSelect={setSelectedId}
        />
        <p className={styles.hint}>{messages.boardKeys}</p>
      </div>
      <div className={styles.lists}>
        {selected === undefined || selectedId === undefined ? (
          <PortLists nodeId={nodeId} config={config} graph={graph} />
        ) : (
          <section aria-live="polite" aria-label={getApiTitle(selected)}>
            <Button size="s" icon={ArrowLeft} onClick={() => setSelectedId(undefined)}>
              {messages.back}
            </Button>
            <h3>{getApiTitle(selected)}</h3>
            <p className={styles.hint}>{selected.class_type}</p>
            <NodeValues nodeId={nodeId} config={config} graph={graph} innerId={selectedId} />
          </section>
        )}
      </div>
    </div>
  );
}

interface GraphBoardProps {
  readonly graph: ApiGraph;
  readonly selectedId: string | undefined;
  readonly outlines: ReadonlyMap<string, StatusOutline>;
  readonly onSelect: (id: string | undefined) => void;
}

function GraphBoard({ graph, ...board }: GraphBoardProps) {
  const inner = useMemo(() => toInnerGraph(graph), [graph]);
  const catalog = useMemo(() => createCatalog(inner.entries), [inner]);
  const arranged = useArranged(inner);
  return arranged === undefined ? (
    <Loading />
  ) : (
    <StaticBoard label={messages.board} graph={arranged} catalog={catalog} {...board} />
  );
}

/** Returns the graph with positions, once the worker has arranged it. */
function useArranged({ board, entries }: ReturnType<typeof toInnerGraph>): BoardGraph | undefined {
  const [arranged, setArranged] = useState<{ readonly of: BoardGraph; readonly graph: BoardGraph }>();
  useEffect(() => {
    const worker = new WorkerClient(entries, startWorker);
    let isCurrent = true;
    worker
      .arrange(board, undefined)
      .then(
        layout => applyLayout(board, layout),
        // Without an arrangement, all nodes can still be chosen in the lists.
        () => board,
      )
      .then(graph => {
        if (isCurrent) setArranged({ of: board, graph: { nodes: graph.nodes, edges: graph.edges } });
      });
    return () => {
      isCurrent = false;
      worker.close();
    };
  }, [board, entries]);
  return arranged?.of === board ? arranged.graph : undefined;
}
