// Lists the formats of files that can be imported.

export const IMPORT_FORMATS = [
  'graphwright',
  'comfyui-ui-0.4',
  'comfyui-ui-1.0',
  'comfyui-api',
  'fal',
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];
