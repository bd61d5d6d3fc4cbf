// The texts of the media page.
import { formatNumber } from '../../lib/format.ts';

export const texts = {
  title: 'Media',
  upload: 'Upload',
  uploading: 'Uploads',
  dropHere: 'Drop the files to upload them',
  emptyTitle: 'No media here yet',
  empty: 'Drop pictures, videos or sounds anywhere on this page, paste one, or choose files.',
  kind: 'Kind',
  kinds: { '': 'All kinds', image: 'Pictures', video: 'Videos', audio: 'Sounds' },
  origin: 'Where from',
  origins: { upload: 'Uploads', output: 'Made by runs', preview: 'Previews' },
  uploaded: (name: string): string => `${name} is uploaded.`,
  failed: (name: string, why: string): string => `${name}: ${why}`,
  details: 'Details of',
  facts: { kind: 'Type', size: 'Size', pixels: 'Pixels', length: 'Length', added: 'Added', id: 'Media id' },
  pixels: (width: number, height: number): string => `${formatNumber(width)} × ${formatNumber(height)}`,
  uses: 'Used by',
  noUses: 'No workflow names it.',
  open: 'Open the file',
  copyAddress: 'Copy the address',
  remove: 'Delete',
  removeTitle: (name: string): string => `Delete ${name}?`,
  removeText: 'The file is gone for good, and its address answers no more.',
  removeUsed: 'These workflows name it, and will fail where they need it:',
  removed: (name: string): string => `${name} is deleted.`,
} as const;
