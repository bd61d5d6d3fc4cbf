// Renders the button that creates a workflow in the current folder and opens it.

import Plus from 'icon:plus';
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../kit/button.tsx';
import { showError } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { messages } from './messages.ts';

/** The first node, because the service rejects empty workflows. */
const FIRST_NOTE = {
  id: 'note',
  type: 'stickyNote',
  position: { x: 0, y: 0 },
  data: {
    label: messages.noteLabel,
    category: 'utility',
    nodeType: 'utility:sticky_note',
    config: { text: messages.noteText },
  },
};

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
