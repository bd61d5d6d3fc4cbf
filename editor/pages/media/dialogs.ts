// Exports the dialogs of the page, which load when they are first opened.

import { lazyComponent } from '../../lib/lazy-component.ts';
import type { AddToCollectionDialogProps } from '../../session/results/add-to-collection.tsx';
import type {
  CollectionDialogProps,
  CreateCollectionDialogProps,
  DeleteCollectionDialogProps,
} from './collection-dialogs.tsx';
import type { CompareDialogProps } from './compare-dialog.tsx';
import type { DetailsProps } from './details-dialog.tsx';
import type { RemoveSeveralDialogProps } from './remove-dialog.tsx';

export const DetailsDialog = lazyComponent<DetailsProps>(
  async () => (await import('./details-dialog.tsx')).DetailsDialog,
);
export const AddToCollectionDialog = lazyComponent<AddToCollectionDialogProps>(
  async () => (await import('../../session/results/add-to-collection.tsx')).AddToCollectionDialog,
);
export const CompareDialog = lazyComponent<CompareDialogProps>(
  async () => (await import('./compare-dialog.tsx')).CompareDialog,
);
export const RemoveSeveralDialog = lazyComponent<RemoveSeveralDialogProps>(
  async () => (await import('./remove-dialog.tsx')).RemoveSeveralDialog,
);
export const CreateCollectionDialog = lazyComponent<CreateCollectionDialogProps>(
  async () => (await import('./collection-dialogs.tsx')).CreateCollectionDialog,
);
export const RenameCollectionDialog = lazyComponent<CollectionDialogProps>(
  async () => (await import('./collection-dialogs.tsx')).RenameCollectionDialog,
);
export const DeleteCollectionDialog = lazyComponent<DeleteCollectionDialogProps>(
  async () => (await import('./collection-dialogs.tsx')).DeleteCollectionDialog,
);
