// Imports exported workflows: chosen files, or files dropped on the page.
import Upload from 'icon:upload';
import { useCallback, useRef } from 'react';
import { Button } from '../../kit/button.tsx';
import { DropNotice } from '../../kit/drop-notice.tsx';
import { toErrorMessage } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { useFileDrop } from '../../lib/file-drop.ts';
import { useFinishChange } from '../../lib/finish-change.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from './messages.ts';

export function ImportButton() {
  const ref = useRef<HTMLInputElement>(null);
  const importFiles = useImport();
  const isDragging = useFileDrop(importFiles);
  return (
    <>
      <Button icon={Upload} onClick={() => ref.current?.click()}>
        {messages.import}
      </Button>
      <input
        ref={ref}
        hidden
        type="file"
        multiple
        accept=".json,application/json"
        onChange={event => {
          importFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {isDragging && <DropNotice>{messages.dropHere}</DropNotice>}
    </>
  );
}

function useImport(): (files: Iterable<File>) => void {
  const finishChange = useFinishChange();
  return useCallback(
    files => {
      for (const file of files)
        void importFile(file).then(
          name => finishChange(messages.imported(name), ['/workflows']),
          (err: unknown) =>
            showToast(err instanceof SyntaxError ? messages.notJson(file.name) : toErrorMessage(err), {
              tone: 'failed',
            }),
        );
    },
    [finishChange],
  );
}

async function importFile(file: File): Promise<string> {
  const { name } = await api.post<{ name: string }>('/workflows/import', parseExactJson(await file.text()));
  return name;
}
