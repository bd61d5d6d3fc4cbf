// Moves the clock of the process into which this file is preloaded by SKEW_MS.
const skewMs = Number(process.env.SKEW_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args: readonly unknown[]) {
    // The constructor's overloads cannot be named.
    super(...((args.length === 0 ? [RealDate.now() + skewMs] : args) as [number]));
  }

  static override now(): number {
    return RealDate.now() + skewMs;
  }
} as DateConstructor;
