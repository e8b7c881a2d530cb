import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { watchForWaking } from "./net/session";
import "./styles/base.css";
import "./styles/screens.css";
import "./styles/cards.css";
import "./styles/table.css";

watchForWaking();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
