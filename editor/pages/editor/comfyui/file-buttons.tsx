// Renders the buttons that load a file into a ComfyUI node and download it, and receives dropped and pasted files.
import ClipboardPaste from 'icon:clipboard-paste';
import Download from 'icon:download';
import FileUp from 'icon:file-up';
import { type DragEvent, useEffect, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { FileInput } from '../../../kit/file-input.tsx';
import { api } from '../../../lib/api.ts';
import { isEditable } from '../../../lib/editable.ts';
import { getPastedFiles } from '../../../lib/pasted-files.ts';
import { showToast } from '../../../lib/toasts.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { downloadBoard } from '../dialogs/board-image.ts';
import { type GraphSource, loadGraph } from './load-graph.ts';
import { messages } from './messages.ts';

const showFailure = (error: unknown): void => showToast(toErrorMessage(error), { tone: 'failed' });

/** Loads files into the node. Returns whether one is being read. */
function useLoad(nodeId: string) {
  const { session } = useEditor();
  const [isLoading, setLoading] = useState(false);
  const load = async (source: GraphSource | undefined): Promise<void> => {
    if (source === undefined) return;
    setLoading(true);
    await loadGraph(session, nodeId, source).catch(showFailure);
    setLoading(false);
  };
  return { isLoading, load };
}

interface FileButtonsProps {
  readonly nodeId: string;
  readonly hasGraph: boolean;
}

export function FileButtons({ nodeId, hasGraph }: FileButtonsProps) {
  const { isLoading, load } = useLoad(nodeId);
  const paste = async (): Promise<void> => {
    // Browsers allow it only on secure pages, and may ask.
    const text = await navigator.clipboard?.readText().catch(() => undefined);
    if (text === undefined) showToast(messages.pasteFailed, { tone: 'failed' });
    else await load(text);
  };
  return (
    <>
      <FileInput accept=".json,application/json,image/png,image/webp" onFiles={([file]) => void load(file)}>
        {openPicker => (
          <Button
            size="s"
            icon={FileUp}
            variant={hasGraph ? 'plain' : 'primary'}
            isBusy={isLoading}
            onClick={openPicker}
          >
            {hasGraph ? messages.replace : messages.choose}
          </Button>
        )}
      </FileInput>
      <Button size="s" icon={ClipboardPaste} disabled={isLoading} onClick={() => void paste()}>
        {messages.paste}
      </Button>
      {hasGraph && <OpenButton nodeId={nodeId} />}
    </>
  );
}

/** Renders a button that downloads the graph for ComfyUI. The service fills in the current values of the saved board. */
function OpenButton({ nodeId }: { readonly nodeId: string }) {
  const { session } = useEditor();
  const [isBusy, setBusy] = useState(false);
  const download = async (): Promise<void> => {
    setBusy(true);
    try {
      await session.saver.flush();
      const query = `format=comfyui&node=${encodeURIComponent(nodeId)}`;
      const file = await api.get(`/workflows/${session.id}/export?${query}`);
      const content = new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' });
      downloadBoard(session.store.getState().board, content, 'json');
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="s"
      icon={Download}
      title={messages.openHint}
      isBusy={isBusy}
      onClick={() => void download()}
    >
      {messages.open}
    </Button>
  );
}

/** Loads files that are dropped on the element, and files and JSON that are pasted while it is shown. */
export function useGraphDrop(nodeId: string) {
  const { load } = useLoad(nodeId);
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      if (event.defaultPrevented || isEditable(event.target)) return;
      const [file] = getPastedFiles(event);
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (file === undefined && !text.trimStart().startsWith('{')) return;
      event.preventDefault();
      void load(file ?? text);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  });
  return {
    'data-drop': '',
    onDragOver: (event: DragEvent): void => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault();
    },
    onDrop: (event: DragEvent): void => {
      event.preventDefault();
      void load(event.dataTransfer.files[0]);
    },
  };
}
