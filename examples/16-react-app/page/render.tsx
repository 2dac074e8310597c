/** The same component as text, for the check. */
import { renderToStaticMarkup } from 'react-dom/server';
import { Chat } from './chat.tsx';
import type { ChatProps } from './chat.tsx';

export const render = (props: ChatProps): string => renderToStaticMarkup(<Chat {...props} />);
