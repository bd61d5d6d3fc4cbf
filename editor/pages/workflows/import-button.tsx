// Renders the button that imports exported workflows. Files can also be dropped on the page.

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
import { messages } from './messages.ts';

export function ImportButton() {
  const importFiles = useImport();
  const isDragging = useFileDrop(importFiles);
  return (
    <>
      <FileInput multiple accept=".json,application/json" onFiles={importFiles}>
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
          (err: unknown) =>
            showToast(err instanceof SyntaxError ? messages.notJson(file.name) : toErrorMessage(err), {
              tone: 'failed',
            }),
        );
    },
    [reloadAndToast],
  );
}

async function importFile(file: File): Promise<string> {
  const { name } = await api.post('/workflows/import', parseExactJson(await file.text()));
  return name;
}
