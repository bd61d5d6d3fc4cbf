// Renders the button that creates a workflow in the current folder and opens it.

import Plus from 'icon:plus';
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../kit/button.tsx';
import { showError } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { FIRST_NOTE } from '../../lib/first-note.ts';
import { messages } from './messages.ts';

export function CreateButton({ folderId }: { readonly folderId: string | undefined }) {
  const create = useMutation({
    mutationFn: () =>
      api.post('/workflows', {
        name: messages.untitled,
        nodes: [FIRST_NOTE],
        edges: [],
        ...(folderId === undefined || folderId === 'root' ? {} : { folderId }),
      }),
    onSuccess: ({ id }) => location.assign(`/flow/${id}`),
    onError: showError,
  });
  return (
    <Button variant="primary" icon={Plus} isBusy={create.isPending} onClick={() => create.mutate()}>
      {messages.create}
    </Button>
  );
}
