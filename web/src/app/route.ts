/** Where in the page one is: the part of the address behind `#`, so that any file server can serve the page. */
import { useSyncExternalStore } from "react";

/** `/table/abc` → `["table", "abc"]`. */
export type Route = readonly string[];

function parse(hash: string): Route {
  return hash.replace(/^#\/?/, "").split("?")[0]!.split("/").filter(Boolean).map(decodeURIComponent);
}

let standing = { hash: location.hash, route: parse(location.hash) };

function current(): Route {
  if (location.hash !== standing.hash) standing = { hash: location.hash, route: parse(location.hash) };
  return standing.route;
}

/** The route, and a new rendering whenever it changes. */
export function useRoute(): Route {
  return useSyncExternalStore((listener) => {
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, current);
}

/** Go to a path, such as `/table/abc`. */
export function go(path: string): void {
  location.hash = path;
}
