// Defines what a check of a ComfyUI server finds.

export interface ServerDevice {
  readonly name: string;
  /** The memory in bytes; null if it is not known. */
  readonly vramTotal: number | null;
  readonly vramFree: number | null;
}

export interface ServerReport {
  readonly version: string | null;
  readonly devices: readonly ServerDevice[];
  /** The prompts that run and wait there, also those of others. */
  readonly running: number;
  readonly waiting: number;
}
