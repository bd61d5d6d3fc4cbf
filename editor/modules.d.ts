// Declares the modules that the bundler creates from imports that are not scripts.
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

declare module '*.css';

declare module 'icon:*' {
  import type { Icon } from './kit/icon.ts';

  const icon: Icon;
  export default icon;
}

declare module 'worker:*' {
  const file: string;
  export default file;
}
