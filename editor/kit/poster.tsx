// Renders the picture of a card in a landscape frame. A portrait picture is shown in full,
// in front of a blurred copy of itself.
import { type ReactNode, useState } from 'react';
import cards from './cards.module.css';
import { classNames } from './class-names.ts';

interface PosterFrameProps {
  /** The image, or the poster of a video, which is blurred behind a portrait picture. */
  readonly backdropUrl: string | undefined;
  readonly className?: string | undefined;
  /** Renders the media, and calls `onSize` with its size. */
  readonly children: (onSize: (width: number, height: number) => void) => ReactNode;
}

export function PosterFrame({ backdropUrl, className, children }: PosterFrameProps) {
  const [isPortrait, setPortrait] = useState(false);
  return (
    <div className={classNames(cards.poster, className)} data-portrait={isPortrait || undefined}>
      {isPortrait && backdropUrl !== undefined && (
        <img className={cards.backdrop} src={backdropUrl} alt="" aria-hidden loading="lazy" />
      )}
      {children((width, height) => setPortrait(height > width))}
    </div>
  );
}
