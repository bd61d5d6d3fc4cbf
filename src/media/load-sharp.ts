// sharp, limited to the types that are accepted.

type SharpModule = typeof import('sharp').default;

const LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map(name => `VipsForeignLoad${name}`);
let loading: Promise<SharpModule> | undefined;

/** Loaded at first use: a service at rest does without its 20 MB. */
export function loadSharp(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: LOADERS });
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loading;
}
