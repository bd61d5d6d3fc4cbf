// Renders a dialog that adds files to a collection, or to a new one.
import { useState } from 'react';
import { SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { api } from '../../lib/api.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { useCollections } from './collections.ts';
import { messages } from './messages.ts';

export interface AddToCollectionDialogProps {
  readonly mediaIds: readonly string[];
  readonly onClose: () => void;
}

export function AddToCollectionDialog({ mediaIds, onClose }: AddToCollectionDialogProps) {
  const query = useCollections();
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState('');
  const reloadAndToast = useReloadAndToast();
  const collections = query.data?.data ?? [];
  const id = chosen ?? collections.at(-1)?.id ?? '';
  const submit = async (): Promise<void> => {
    const collection =
      id === ''
        ? await api.post('/collections', { name, mediaIds })
        : await api.patch(`/collections/${id}`, { addMediaIds: mediaIds });
    await reloadAndToast(messages.addedTo(mediaIds.length, collection.name), ['/collections', '/media']);
  };
  return (
    <FormDialog
      title={messages.addToCollection}
      submitText={messages.add}
      onSubmit={submit}
      onClose={onClose}
    >
      <QueryResult query={query}>
        {({ data }) => (
          <>
            {data.length > 0 && (
              <SelectField
                label={messages.collection}
                value={id}
                options={[
                  ...data.toReversed().map(each => [each.id, each.name] as const),
                  ['', messages.newCollectionOption],
                ]}
                onChange={event => setChosen(event.target.value)}
              />
            )}
            {id === '' && (
              <TextField
                label={messages.collectionName}
                required
                maxLength={200}
                value={name}
                onChange={event => setName(event.target.value)}
              />
            )}
          </>
        )}
      </QueryResult>
    </FormDialog>
  );
}
