"""Names of methods and scores."""

LABELS = {
    "mercer": "mercer",
    "prototype": "prototype",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "catboost": "CatBoost",
    "hist": "HistGradientBoosting",
    "forest": "random forest",
    "xrfm": "xRFM",
    "logistic": "logistic regression",
}
OURS = ("mercer", "prototype")  # not counted among the rivals
DEFAULT = {  # methods of each mode
    "tables": ["mercer", "lightgbm", "xgboost", "catboost", "hist", "forest"],
    "rare": ["mercer", "logistic", "lightgbm", "hist"],
}
PRIMARY = {"classification": "error", "regression": "rmse_sd"}  # score by which methods are ranked; smaller is better
