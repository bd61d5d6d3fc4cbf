// Renders the settings of a ComfyUI node in the inspector: its file, the dialog with its inputs, and their values.
import ListChecks from 'icon:list-checks';
import { lazy, Suspense, useState } from 'react';
import { readConfigGraph } from '../../../../src/graph/comfyui/config-graph.ts';
import { toComfyPorts } from '../../../../src/graph/comfyui/ports.ts';
import type { GraphNode } from '../../../../src/graph/types.ts';
import { Button } from '../../../kit/button.tsx';
import { InputField } from '../inspector/input-field.tsx';
import styles from './comfyui.module.css';
import { FileButtons, useGraphDrop } from './file-buttons.tsx';
import { messages } from './messages.ts';

const ComfyDialog = lazy(async () => ({ default: (await import('./comfy-dialog.tsx')).ComfyDialog }));

export function ComfyFields({ node }: { readonly node: GraphNode }) {
  const [isOpen, setOpen] = useState(false);
  const { config = {} } = node.data;
  const { graph, problem } = readConfigGraph(config.graph);
  const hasGraph = problem === undefined;
  const drop = useGraphDrop(node.id);
  return (
    <>
      <div {...drop} className={styles.inspected}>
        <p className={styles.hint}>{hasGraph ? messages.nodes(Object.keys(graph).length) : messages.empty}</p>
        {hasGraph && (
          <Button icon={ListChecks} variant="primary" onClick={() => setOpen(true)}>
            {messages.title}
          </Button>
        )}
        <FileButtons nodeId={node.id} hasGraph={hasGraph} />
      </div>
      {toComfyPorts(config).inputs.map(input => (
        <InputField key={input.id} node={node} input={input} />
      ))}
      {isOpen && (
        <Suspense>
          <ComfyDialog nodeId={node.id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
