// The baseline for the editor: a plain React Flow board, set up as in React Flow's documentation, with the nodes and edges
// of `globalThis.board`.
import '@xyflow/react/dist/style.css';
import { Handle, Position, ReactFlow, useEdgesState, useNodesState } from '@xyflow/react';
import { createElement as h, memo } from 'react';
import { createRoot } from 'react-dom/client';

const BOX = { width: 260, height: 200, border: '1px solid #999', borderRadius: 12, background: '#fff' };

const Box = memo(({ data: { label, inputs, outputs } }) =>
  h(
    'div',
    { style: BOX, 'data-box': true },
    h('strong', null, label),
    inputs.map((id, index) =>
      h(Handle, { key: id, id, type: 'target', position: Position.Left, style: { top: 58 + index * 28 } }),
    ),
    outputs.map(id =>
      h(Handle, { key: id, id, type: 'source', position: Position.Right, style: { top: 58 } }),
    ),
  ),
);

const NODE_TYPES = { box: Box };

function Board({ board }) {
  const [nodes, , onNodesChange] = useNodesState(toNodes(board));
  const [edges, , onEdgesChange] = useEdgesState(board.edges);
  const flow = h(ReactFlow, {
    nodes,
    edges,
    nodeTypes: NODE_TYPES,
    onNodesChange,
    onEdgesChange,
    minZoom: 0.05,
    fitView: true,
    onInit: instance => {
      globalThis.flow = instance;
    },
  });
  return h('div', { style: { position: 'fixed', inset: 0 } }, flow);
}

function toNodes({ nodes, edges }) {
  const edgesByTarget = Map.groupBy(edges, ({ target }) => target);
  const edgesBySource = Map.groupBy(edges, ({ source }) => source);
  const getHandles = (nodeEdges = [], key) => [...new Set(nodeEdges.map(edge => edge[key]))];
  return nodes.map(({ id, position, data: { label } }) => ({
    id,
    type: 'box',
    position,
    data: {
      label,
      inputs: getHandles(edgesByTarget.get(id), 'targetHandle'),
      outputs: getHandles(edgesBySource.get(id), 'sourceHandle'),
    },
  }));
}

createRoot(document.getElementById('root')).render(h(Board, { board: globalThis.board }));
