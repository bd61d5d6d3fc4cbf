// Renders the button that imports exported workflows and files of ComfyUI. Files can also be dropped on the page.

import Upload from 'icon:upload';
import { useCallback } from 'react';
import { Button } from '../../kit/button.tsx';
import { DropOverlay } from '../../kit/drop-overlay.tsx';
import { toErrorMessage } from '../../kit/failure.tsx';
import { FileInput } from '../../kit/file-input.tsx';
import { api } from '../../lib/api.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { useFileDrop } from '../../lib/file-drop.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { showToast } from '../../lib/toasts.ts';
import { UserFacingError } from '../../lib/user-facing-error.ts';
import { messages } from './messages.ts';

export function ImportButton() {
  const importFiles = useImport();
  const isDragging = useFileDrop(importFiles);
  return (
    <>
      <FileInput multiple accept=".json,application/json,image/png,image/webp" onFiles={importFiles}>
        {openPicker => (
          <Button icon={Upload} onClick={openPicker}>
            {messages.import}
          </Button>
        )}
      </FileInput>
      {isDragging && <DropOverlay>{messages.dropHere}</DropOverlay>}
    </>
  );
}

function useImport(): (files: Iterable<File>) => void {
  const reloadAndToast = useReloadAndToast();
  return useCallback(
    files => {
      for (const file of files)
        void importFile(file).then(
          name => reloadAndToast(messages.imported(name), ['/workflows']),
          (err: unknown) => showToast(toErrorMessage(err), { tone: 'failed' }),
        );
    },
    [reloadAndToast],
  );
}

async function importFile(file: File): Promise<string> {
  const { readForeignFile, toWorkflowName } = await import('../../lib/foreign-file.ts');
  const source = await readForeignFile(file);
  if (source === undefined) throw new UserFacingError(messages.notReadable(file.name));
  const result = await api.post(
    '/workflows/import',
    parseExport(source) ?? { source, name: toWorkflowName(file) },
  );
  return 'name' in result ? result.name : result.workflow.name;
}

/** Returns an export of this service with its exact numbers, or undefined for other files. */
function parseExport(text: string): object | undefined {
  try {
    const file = parseExactJson(text);
    return typeof file === 'object' && file !== null && 'nodes' in file && 'edges' in file ? file : undefined;
  } catch {
    return undefined;
  }
}
