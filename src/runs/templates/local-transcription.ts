// Lets templates that write down speech use a named server instead of a hosted model.
import type { Graph, GraphEdge, GraphNode } from '../../graph/types.ts';
import { listUsableServers } from '../../services/credentials/run-credentials.ts';
import type { Tx } from '../../store/db.ts';
import type { RunDeps } from '../deps.ts';

/** The node type that a server can take the place of. */
export const HOSTED_TRANSCRIPTION = 'text:fal_whisper';

/** Names by which a server that was not tested probably serves transcriptions. */
const LIKELY_NAME = /whisper|speaches|transcri|parakeet|(?:^|-)(?:stt|asr)(?:-|$)/;

/** Returns the name of a server of the workspace that serves transcriptions. */
export async function findTranscriptionServer(
  deps: Pick<RunDeps, 'settings' | 'environmentCredentials'>,
  tx: Tx,
  workspace: string,
): Promise<string | undefined> {
  const servers = await listUsableServers(deps, tx, workspace);
  const tested = servers.find(({ serves }) => serves?.includes('transcriptions') === true);
  return (tested ?? servers.find(({ serves, server }) => serves === null && LIKELY_NAME.test(server)))
    ?.server;
}

/** Returns the graph with the server in the place of hosted transcriptions. */
export function replaceTranscriptions(graph: Graph, server: string): Graph {
  const replaced = new Map(
    graph.nodes.filter(({ data }) => data.nodeType === HOSTED_TRANSCRIPTION).map(node => [node.id, node]),
  );
  const isTimed = ({ source, sourceHandle }: GraphEdge): boolean =>
    sourceHandle === 'out-chunks' && replaced.has(source);
  const timed = new Set(graph.edges.filter(isTimed).map(({ source }) => source));
  const added = [...replaced.values()].filter(({ id }) => timed.has(id)).map(node => createTimes(node));
  return {
    ...graph,
    nodes: [
      ...graph.nodes.map(node => (replaced.has(node.id) ? toServerNode(node, server) : node)),
      ...added.flatMap(({ nodes }) => nodes),
    ],
    edges: [
      ...graph.edges.map(edge =>
        isTimed(edge) ? { ...edge, source: toTimesId(edge.source), sourceHandle: 'out-output' } : edge,
      ),
      ...added.flatMap(({ edges }) => edges),
    ],
  };
}

const toServerNode = (node: GraphNode, server: string): GraphNode => ({
  ...node,
  data: { ...node.data, nodeType: 'audio:openai_transcription', config: { server } },
});

const toTimesId = (id: string): string => `${id}-times`;

/** Creates the nodes that take the words out of the captions, or the lines if the server times no words. */
function createTimes({ id, position }: GraphNode): Pick<Graph, 'nodes' | 'edges'> {
  const partsId = `${id}-parts`;
  const timesId = toTimesId(id);
  const toNode = (nodeId: string, offset: number, data: GraphNode['data']): GraphNode => ({
    id: nodeId,
    type: 'basedNode',
    position: { x: position.x + offset, y: position.y },
    data,
  });
  const toEdge = (source: string, sourceHandle: string, target: string, targetHandle: string): GraphEdge => ({
    id: `${source}-${sourceHandle}-${target}-${targetHandle}`,
    source,
    sourceHandle,
    target,
    targetHandle,
  });
  return {
    nodes: [
      toNode(partsId, 120, {
        label: 'Take out the words or lines',
        nodeType: 'utility:json_extract',
        category: 'utility',
        config: { paths: { words: 'words', cues: 'cues' } },
      }),
      toNode(timesId, 240, { label: 'Words, or lines', nodeType: 'logic:merge', category: 'logic' }),
    ],
    edges: [
      toEdge(id, 'out-captions', partsId, 'in-json'),
      toEdge(partsId, 'out-words', timesId, 'in-input1'),
      toEdge(partsId, 'out-cues', timesId, 'in-input2'),
    ],
  };
}
